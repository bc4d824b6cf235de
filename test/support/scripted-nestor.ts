import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestScope } from './server.ts';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

export type Route = (asked: Asked, response: ServerResponse) => void;

export interface ScriptedNestor {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Every request so far. */
  readonly asked: readonly Asked[];
}

/** A server that says what a Nestor says, by `METHOD /path` without the query, over a real port. */
export async function startScriptedNestor(
  t: TestScope,
  routes: Readonly<Record<string, Route>>,
): Promise<ScriptedNestor> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await read(request);
    const { method = '', url = '/' } = request;
    const one: Asked = { method, path: url, headers: request.headers, body: parse(text) };
    asked.push(one);
    const route = routes[`${method} ${url.split('?')[0] ?? ''}`];
    if (route === undefined) refuse(response, 404, 'Not found');
    else route(one, response);
  }
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export function reply(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req-1' });
  response.end(JSON.stringify(body));
}

export function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  retryAfterMs?: number,
): void {
  if (retryAfterMs !== undefined) response.setHeader('retry-after-ms', String(retryAfterMs));
  reply(response, { error: { message, type: 'x', code: status, param: null } }, status);
}

/** What `GET /v1/models` says. */
export const modelList: Route = (_asked, response) => {
  const data = [{ id: 'acme/acme', object: 'model' }];
  reply(response, { object: 'list', data, models: [{ name: 'acme-decider' }] });
};

const source = {
  title: 'Kea',
  url: 'https://birds.example/kea',
  date: '2025-11-03',
  last_updated: null,
  snippet: 'The kea is a parrot.',
  source: 'web',
};

export const chatReply = {
  id: 'c1',
  model: 'acme',
  object: 'chat.completion.done',
  choices: [
    { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'The kea is a parrot [1].' } },
  ],
  usage: { prompt_tokens: 3, completion_tokens: 6, total_tokens: 9 },
  citations: [source.url],
  search_results: [source],
};

const stepMs = 150;

/** A chat completion as concise chunks; `cut` ends it before its end, `fail` tells an error in the stream. */
export function streamChat(how: 'whole' | 'cut' | 'fail' = 'whole'): Route {
  return (_asked, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (chunk: object) => response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    const delta = (more: object) => [{ index: 0, delta: { role: 'assistant', content: '', ...more } }];
    send({
      object: 'chat.reasoning',
      choices: delta({ reasoning_steps: [{ thought: 'Look up the bird.' }] }),
    });
    setTimeout(() => {
      send({ object: 'chat.reasoning.done', choices: delta({}), search_results: [source] });
      send({ object: 'chat.completion.chunk', choices: delta({ content: 'The kea ' }) });
      if (how === 'cut') response.end();
      else if (how === 'fail') {
        send({ error: { message: 'The backend gave an unusable answer.', type: 'bad_gateway', code: 502 } });
        response.end('data: [DONE]\n\n');
      } else {
        send({ object: 'chat.completion.chunk', choices: delta({ content: 'is a parrot [1].' }) });
        send({
          ...chatReply,
          choices: [{ ...chatReply.choices[0], delta: { role: 'assistant', content: '' } }],
        });
        response.end('data: [DONE]\n\n');
      }
    }, stepMs);
  };
}

/** A job that is done at the look of this number, or fails then. */
export function jobRoutes(looks: number, errorMessage: string | null = null): Record<string, Route> {
  const id = '5a1c3c9e-0f52-4c0a-8d8e-2f7f0e1a9b11';
  let seen = 0;
  const job = (status: string) => ({
    id,
    model: 'acme-deep-research',
    status,
    created_at: 1_769_860_800,
    response: status === 'COMPLETED' ? { ...chatReply, object: 'chat.completion' } : null,
    error_message: status === 'FAILED' ? errorMessage : null,
  });
  return {
    'POST /async/chat/completions': (_asked, response) => reply(response, job('CREATED')),
    [`GET /async/chat/completions/${id}`]: (_asked, response) => {
      seen++;
      const end = errorMessage === null ? 'COMPLETED' : 'FAILED';
      reply(response, job(seen >= looks ? end : 'IN_PROGRESS'));
    },
  };
}

export const searchReply: Route = (_asked, response) => {
  const { title, url, snippet, date } = source;
  reply(response, { id: 's1', results: [{ title, url, snippet, date }] });
};
