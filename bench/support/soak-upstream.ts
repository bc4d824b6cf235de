import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A model server and a web site on one port, for the soak: what they say follows from what they are asked. */
export interface SoakUpstream {
  readonly url: string;
  /** `127.0.0.1:PORT` */
  readonly host: string;
  readonly siteUrl: string;
  /** Pages of the site, by number from 0. */
  readonly pages: number;
  /** Gives a page a word that no page had before. */
  change(page: number): string;
  close(): Promise<void>;
}

export const slowDeltas = 64;
const slowPauseMs = 20;
const pages = 40;

/** A word that only this page of the site has. */
export const wordOf = (page: number): string => `quillon${page}`;

/** What the model says to a prompt with this key. */
export function answerTo(key: string): string {
  const hash = createHash('sha256').update(key).digest('hex');
  return `Answer to ${key}: ${[0, 8, 16, 24].map((at) => hash.slice(at, at + 8)).join(' ')}.`;
}

/** What it says piece by piece to a prompt with this mark. */
export const slowAnswer = (mark: string): string =>
  Array.from({ length: slowDeltas }, (_, index) => `${mark}:${index};`).join('');

export async function startSoakUpstream(): Promise<SoakUpstream> {
  const versions = new Map<number, number>();
  let version = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (path.startsWith('/site/')) sendPage(path, versions, response);
    else if (request.method === 'POST') void answer(request, response);
    else response.end('{"object":"list","data":[{"id":"talker","object":"model"}]}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/v1`,
    host,
    siteUrl: `http://${host}/site/index.html`,
    pages,
    change(page) {
      versions.set(page, ++version);
      return freshWord(version);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const freshWord = (version: number): string => `zephyrine${version}`;

function sendPage(path: string, versions: ReadonlyMap<number, number>, response: ServerResponse): void {
  const number = /^\/site\/(?<page>\d+)\.html$/.exec(path)?.groups?.['page'];
  const page = number === undefined ? null : Number(number);
  response.writeHead(path === '/site/index.html' || page !== null ? 200 : 404, {
    'content-type': 'text/html; charset=utf-8',
  });
  if (page === null) {
    const links = Array.from({ length: pages }, (_, at) => `<a href="/site/${at}.html">Chapter ${at}</a>`);
    response.end(`<!doctype html><title>Contents</title><main><p>${links.join(' ')}</p></main>`);
    return;
  }
  const version = versions.get(page);
  const fresh = version === undefined ? '' : `<p>Lately the ${freshWord(version)} was seen here.</p>`;
  const text = `The ${wordOf(page)} lives by the water and is known for its patience. `.repeat(8);
  response.end(
    `<!doctype html><title>The ${wordOf(page)}</title><main><h1>Of the ${wordOf(page)}</h1><p>${text}</p>${fresh}</main>`,
  );
}

interface Body {
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly unknown[];
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Body;
  const talk = createTalk(response, body.stream === true);
  const asked = JSON.stringify(body.messages);
  const slow = lastMatch(asked, /#slow:(?<key>[\w.-]+)/g);
  if (slow !== null) {
    for (let index = 0; index < slowDeltas && !response.destroyed; index++) {
      talk.text(`${slow}:${index};`);
      await pause(slowPauseMs);
    }
    return talk.end();
  }
  const isCalled = body.messages.at(-1)?.role === 'tool';
  const search = lastMatch(asked, /#search:(?<key>\w+)/g);
  const code = lastMatch(asked, /#code:(?<key>\d+)/g);
  if (!isCalled && body.tools !== undefined && (search !== null || code !== null)) {
    if (search !== null) talk.call('web_search', { queries: [search] });
    else talk.call('sandbox', { language: 'python', code: `print(${code} * ${code})` });
    return talk.end();
  }
  for (const piece of answerTo(lastMatch(asked, /#key:(?<key>[\w.-]+)/g) ?? '').match(/.{1,12}/g) ?? [])
    talk.text(piece);
  talk.end();
}

function lastMatch(text: string, pattern: RegExp): string | null {
  return [...text.matchAll(pattern)].at(-1)?.groups?.['key'] ?? null;
}

/** A chat completion, streamed or whole. */
function createTalk(response: ServerResponse, isStreamed: boolean) {
  const head = { id: 'chatcmpl-1', created: 1, model: 'talker' };
  const usage = { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 };
  let content = '';
  const calls: object[] = [];
  const send = (delta: object, reason: string | null, more: object = {}) => {
    const choices = [{ index: 0, delta, finish_reason: reason }];
    const chunk = { ...head, object: 'chat.completion.chunk', choices, ...more };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  response.writeHead(200, { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' });
  return {
    text(piece: string) {
      content += piece;
      if (isStreamed) send({ content: piece }, null);
    },
    call(name: string, args: object) {
      const call = { id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(args) } };
      calls.push(call);
      if (isStreamed) send({ tool_calls: [{ index: 0, ...call }] }, null);
    },
    end() {
      const reason = calls.length > 0 ? 'tool_calls' : 'stop';
      if (isStreamed) {
        send({}, reason);
        send({}, null, { choices: [], usage });
        response.end('data: [DONE]\n\n');
        return;
      }
      const message = { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) };
      const choices = [{ index: 0, message, finish_reason: reason }];
      response.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }));
    },
  };
}
