import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { createClient } from '../support/http.ts';
import { call, finish, says, text } from '../support/models.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';
import { startServer, type TestScope, type TestServer } from '../support/server.ts';

export const keys = {
  acme: 'key-of-acme-0123456789-1',
  other: 'key-of-other-0123456789-2',
  bare: 'key-of-bare-0123456789-3',
};
export type Account = keyof typeof keys;
const adminKey = 'admin-key-of-a-test-0123456789';

/**
 * Calls the tool that the user names with the text after it as arguments; answers all else with everything that it was
 * given, which is more than any model would tell.
 */
const teller: Answer = (request, signal) => {
  const last = request.turns.at(-1);
  const part = last?.role === 'user' ? last.parts.at(-1) : undefined;
  const asked = part?.type === 'text' ? part.text : '';
  const [name = '', args = ''] = asked.split(/ (.*)/s);
  if (request.tools.some((tool) => tool.name === name))
    return says(call('c1', name, args), finish('tool-calls'))(request, signal);
  return says([text(`${JSON.stringify([request.system, request.turns])} [1]`)], finish())(request, signal);
};

interface Reply {
  readonly status: number;
  readonly text: string;
}

/** A server with three accounts, one of which has nothing. */
export interface Opened {
  readonly server: TestServer;
  readonly send: (account: Account | 'admin', method: string, path: string, body?: unknown) => Promise<Reply>;
  /** Adds a document; resolves to its id. */
  readonly write: (account: Account, name: string, secret: string) => Promise<string>;
  /** Asks for a response on the one WebSocket of an account; resolves to everything that comes. */
  readonly talk: (account: Account, body: object) => Promise<string>;
}

interface OpenOptions {
  readonly config?: object;
  readonly database?: string;
  /** False for the default, which quotes its sources. */
  readonly withModel?: boolean;
}

export async function open(
  t: TestScope,
  { config = {}, database = 'sqlite', withModel = true }: OpenOptions = {},
): Promise<Opened> {
  const server = await startServer(t, {
    config: JSON.stringify({
      keys: Object.entries(keys).map(([account, key]) => ({ key, account })),
      rate_limits: { enabled: false },
      chat: { verify: 'mark' },
      ...config,
    }),
    env: { NESTOR_ADMIN_KEY: adminKey, NESTOR_DATABASE: database },
    ...(withModel && { providers: [scriptedProvider('lab', { teller: { answer: teller } })] }),
  });
  // Below fetch, which costs as much as what it asks for.
  const client = createClient(server.url);
  t.after(() => Promise.resolve(client.close()));
  const send: Opened['send'] = (account, method, path, body) =>
    client({
      method,
      path,
      headers: {
        authorization: `Bearer ${account === 'admin' ? adminKey : keys[account]}`,
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    server,
    send,
    talk: openTalk(t, server),
    async write(account, name, secret) {
      const url = `https://docs.example/${name}`;
      const reply = await send(account, 'POST', '/v1/index/documents', {
        url,
        title: name,
        text: sentence(name, secret),
      });
      assert.ok(reply.status === 200 || reply.status === 201, reply.text);
      return (JSON.parse(reply.text) as { readonly id: string }).id;
    },
  };
}

/** One connection an account, opened when it first speaks. */
function openTalk(t: TestScope, { url }: TestServer): Opened['talk'] {
  const sockets = new Map<Account, WebSocket>();
  const socketOf = async (account: Account): Promise<WebSocket> => {
    const known = sockets.get(account);
    if (known !== undefined) return known;
    const headers = { authorization: `Bearer ${keys[account]}` };
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/openai/v1/responses`, { headers });
    t.after(() => Promise.resolve(socket.terminate()));
    sockets.set(account, socket);
    await once(socket, 'open');
    return socket;
  };
  return async (account, body) => {
    const socket = await socketOf(account);
    const heard: string[] = [];
    const ended = Promise.withResolvers<string>();
    const hear = (data: unknown) => {
      const event = String(data);
      heard.push(event);
      if (/"type":"(?:response\.(?:completed|failed|incomplete)|error)"/.test(event))
        ended.resolve(heard.join('\n'));
    };
    socket.on('message', hear);
    const close = () => ended.reject(new Error('the connection was closed'));
    socket.once('close', close);
    try {
      socket.send(JSON.stringify({ type: 'response.create', ...body }), () => {});
      return await ended.promise;
    } finally {
      socket.off('message', hear);
      socket.off('close', close);
    }
  };
}

export const sentence = (name: string, secret: string): string => `The colour of ${name} is ${secret}.`;
const letters = 'bcdfghjklmnpqrstvwxz';
/** One that nobody else says. */
export const word = (): string =>
  `zq${Array.from({ length: 10 }, () => letters[randomInt(letters.length)]).join('')}`;
