import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '../../src/kernel/kit/json.ts';
import type { TestScope } from './server.ts';

/** One step of an answer, byte for byte. Each text or buffer is a packet of its own. */
export type WireStep =
  string | Buffer | { readonly waitMs: number } | { readonly drip: string } | typeof cut | typeof hang;

/** Breaks the connection. */
export const cut = { end: 'cut' } as const;
/** Writes this again and again, for ever. */
export const drip = (text: string): WireStep => ({ drip: text });
/** Leaves it open and writes nothing more. */
export const hang = { end: 'hang' } as const;

export interface WireAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly steps: readonly WireStep[];
}

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: JsonObject;
}

/** What the server does with a request; a list of steps is an answer of status 200. */
export type WireHandler = (request: WireRequest) => readonly WireStep[] | WireAnswer;

export interface WireServer {
  readonly url: string;
  readonly requests: readonly WireRequest[];
  /** Connections accepted so far. */
  readonly connections: () => number;
  /** Resolves when no request is under way any more. */
  readonly idle: () => Promise<void>;
}

/** A server that writes bytes as scripted, on a port of its own. */
export async function startWire(t: TestScope, handler: WireHandler): Promise<WireServer> {
  const requests: WireRequest[] = [];
  const open = new Set<Promise<unknown>>();
  let connections = 0;
  const server = createServer((request, response) => {
    const closed = once(response, 'close').finally(() => open.delete(closed));
    open.add(closed);
    void answer(request, response, requests, handler);
  });
  server.on('connection', (socket) => {
    connections++;
    socket.setNoDelay(true);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    connections: () => connections,
    idle: async () => {
      await Promise.all(open);
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  requests: WireRequest[],
  handler: WireHandler,
): Promise<void> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return;
  }
  const text = Buffer.concat(chunks).toString('utf8');
  const seen: WireRequest = {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body: text === '' ? {} : (JSON.parse(text) as JsonObject),
  };
  requests.push(seen);
  const scripted = handler(seen);
  const {
    status = 200,
    headers = {},
    steps,
  }: WireAnswer = 'steps' in scripted ? scripted : { steps: scripted };
  if (steps[0] === cut) {
    response.socket?.resetAndDestroy();
    return;
  }
  if (steps[0] === hang) return;
  response.writeHead(status, { 'content-type': 'text/event-stream', ...headers });
  for (const step of steps) {
    if (response.destroyed || step === hang) return;
    if (step === cut) {
      // After what was written has gone out.
      await pause(20);
      response.destroy();
      return;
    }
    if (typeof step === 'object' && 'drip' in step) {
      const timer = setInterval(() => response.write(step.drip), 10);
      response.on('close', () => clearInterval(timer));
      return;
    }
    if (typeof step === 'object' && 'waitMs' in step) await pause(step.waitMs);
    else {
      response.write(step);
      // A packet of its own, as far as that is ours to say.
      await pause(1);
    }
  }
  response.end();
}

/** One chunk of a chat completion as OpenAI frames it. */
export function chunk(
  delta: unknown,
  finish: string | null = null,
  rest: Record<string, unknown> = {},
): string {
  return data({
    id: 'chatcmpl-C1',
    object: 'chat.completion.chunk',
    created: 1_763_650_000,
    model: 'gpt-x',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...rest,
  });
}

export function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

export const done = 'data: [DONE]\n\n';

export function usageChunk(input: number, output: number): string {
  return chunk({}, null, {
    choices: [],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  });
}
