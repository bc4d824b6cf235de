import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Json } from '../../src/kernel/kit/json.ts';
import type { TestScope } from './server.ts';

export interface UpstreamRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as it came. */
  readonly text: string;
  /** The body parsed; null when there is none. */
  readonly body: Json;
  /** Aborts when the client goes away. */
  readonly gone: AbortSignal;
}

/** What a broken server does instead of an answer. */
export type UpstreamFault =
  /** 200 with a page. */
  | 'html'
  /** 200 with whole framing around half a body. */
  | 'truncated'
  /** The head, half of the body, then the connection breaks. */
  | 'cut'
  /** Takes the request and never answers. */
  | 'hang'
  /** Breaks the connection instead of an answer. */
  | 'reset'
  /** One byte every 50 ms, for ever. */
  | 'drip'
  /** Not HTTP at all. */
  | 'noise'
  /** A body without an end, as fast as it goes. */
  | 'flood';

export type UpstreamReply =
  | { readonly json: unknown; readonly status?: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly text: string; readonly status?: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly fault: UpstreamFault };

export type UpstreamHandler = (request: UpstreamRequest) => UpstreamReply | Promise<UpstreamReply>;

export interface Upstream {
  readonly url: string;
  /** Every request so far, in order of arrival. */
  readonly requests: readonly UpstreamRequest[];
  /** Most requests that were under way at once. */
  readonly busiest: number;
  /** Requests under way now. */
  readonly busy: number;
  /** Connections accepted so far. */
  readonly connections: number;
  /** Closes the port and breaks every connection. */
  kill(): Promise<void>;
}

/** What a server writes about itself and must never reach a caller of ours. */
export const upstreamSecret = 'upstream-secret-text';

/** A scripted server on a port of its own. */
export async function startUpstream(t: TestScope, handler: UpstreamHandler): Promise<Upstream> {
  const requests: UpstreamRequest[] = [];
  const counts = { busy: 0, busiest: 0, connections: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    counts.busy++;
    counts.busiest = Math.max(counts.busiest, counts.busy);
    response.on('close', () => counts.busy--);
    void answer(request, response, requests, handler);
  });
  server.on('connection', (socket) => {
    counts.connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const kill = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  t.after(kill);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get busiest() {
      return counts.busiest;
    },
    get busy() {
      return counts.busy;
    },
    get connections() {
      return counts.connections;
    },
    kill,
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  requests: UpstreamRequest[],
  handler: UpstreamHandler,
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return;
  }
  const text = Buffer.concat(chunks).toString('utf8');
  const seen: UpstreamRequest = {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    text,
    body: text === '' ? null : (JSON.parse(text) as Json),
    gone: gone.signal,
  };
  requests.push(seen);
  const reply = await handler(seen);
  if (response.destroyed) return;
  if ('fault' in reply) misbehave(reply.fault, response);
  else {
    const body = 'json' in reply ? JSON.stringify(reply.json) : reply.text;
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
    response.end(body);
  }
}

function misbehave(fault: UpstreamFault, response: ServerResponse): void {
  switch (fault) {
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(`<!doctype html><title>${upstreamSecret}</title>`);
      return;
    case 'truncated':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`{"answers":{"${upstreamSecret}":{"type":`);
      return;
    case 'cut':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"answers":{');
      setTimeout(() => response.destroy(), 10);
      return;
    case 'hang':
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'drip': {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(timer));
      return;
    }
    case 'noise':
      response.socket?.end(`${upstreamSecret}\r\n\r\n`);
      return;
    case 'flood': {
      response.writeHead(200, { 'content-type': 'application/json' });
      const block = ' '.repeat(65_536);
      const pour = () => {
        while (!response.destroyed && response.write(block));
        response.once('drain', pour);
      };
      pour();
    }
  }
}

/** Fails as scripted for the first `times` requests, then answers. */
export function failing(times: number, reply: UpstreamReply, then: UpstreamHandler): UpstreamHandler {
  let left = times;
  return (request) => (left-- > 0 ? reply : then(request));
}
