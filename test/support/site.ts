import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { TestScope } from './server.ts';

export interface SiteFile {
  readonly body: string | Uint8Array;
  /** `text/html; charset=utf-8` when left out. */
  readonly type?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** Answers by hand: a slow, endless or broken page. */
export type SiteScript = (request: IncomingMessage, response: ServerResponse) => void;

export type SiteReply = string | SiteFile | SiteScript;

export interface SiteRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Address of ours that was dialled. */
  readonly dialled: string;
}

export interface Site {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** `127.0.0.1:PORT`, for the guard. */
  readonly host: string;
  readonly port: number;
  readonly requests: readonly SiteRequest[];
  /** Connections accepted so far. */
  readonly connections: number;
  /** Puts a page there, or changes it. */
  set(path: string, reply: SiteReply): void;
  remove(path: string): void;
}

export interface SiteOptions {
  /** Address to listen on: `127.0.0.1`. */
  readonly address?: string;
}

/** A site of its own on a port of its own. A path (with its query) that is not there is a 404 page. */
export async function startSite(
  t: TestScope,
  pages: Readonly<Record<string, SiteReply>>,
  { address = '127.0.0.1' }: SiteOptions = {},
): Promise<Site> {
  const served = new Map(Object.entries(pages));
  const requests: SiteRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    requests.push({ path, headers: request.headers, dialled: request.socket.localAddress ?? '' });
    const reply = served.get(path) ?? { status: 404, body: '<!doctype html><title>Not found</title>' };
    if (typeof reply === 'function') reply(request, response);
    else send(response, typeof reply === 'string' ? { body: reply } : reply);
  });
  server.on('connection', (socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  t.after(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${address}:${port}`,
    host: `${address}:${port}`,
    port,
    requests,
    get connections() {
      return connections;
    },
    set: (path, reply) => void served.set(path, reply),
    remove: (path) => void served.delete(path),
  };
}

/** A page that sends on to another one. */
export function redirectTo(location: string, status = 302): SiteFile {
  return { status, body: 'moved', headers: { location, 'set-cookie': 'a=b' } };
}

function send(response: ServerResponse, { body, type, status, headers }: SiteFile): void {
  response.writeHead(status ?? 200, {
    'content-type': type ?? 'text/html; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    ...(headers as Record<string, string | string[]> | undefined),
  });
  response.end(body);
}
