import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { call, finish, says, text } from '../support/models.ts';
import { listen, readBody, startToolServer } from '../support/mcp-server.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';
import { startServer, type TestScope } from '../support/server.ts';

/** Servers of tools, honest and not, and a Nestor that may ask them. */

/** Calls the tool that the user names with the text after it as arguments; tells what came back. */
const callerOf =
  (asked: Parameters<Answer>[0][]): Answer =>
  (request, signal) => {
    asked.push(request);
    const last = request.turns.at(-1);
    if (last?.role === 'tool') {
      const told = last.results.flatMap(({ parts }) =>
        parts.map((part) => (part.type === 'text' ? part.text : '')),
      );
      return says([text(`told: ${told.join()}`)], finish())(request, signal);
    }
    const part = last?.role === 'user' ? last.parts.at(-1) : undefined;
    const [name = '', ...args] = (part?.type === 'text' ? part.text : '').split(' ');
    return request.tools.some((tool) => tool.name === name)
      ? says(call('c1', name, args.join(' ')), finish('tool-calls'))(request, signal)
      : says([text('nothing to do')], finish())(request, signal);
  };

export const key = 'operators-secret-key';
export const model = 'lab/caller';
export type Mcp = OpenAI.Responses.Tool.Mcp;
export const mcp = (more: Partial<Mcp> = {}): Mcp => ({
  type: 'mcp',
  server_label: 'birds',
  require_approval: 'never',
  ...more,
});
type Item = OpenAI.Responses.ResponseOutputItem;

/** Answers to the method that it lies about, by the path. */
const lies: Record<string, (rpc: string, params: Record<string, unknown>) => object | string | null> = {
  '/schemas': (rpc) =>
    rpc === 'tools/list'
      ? {
          tools: [
            { name: 'odd', inputSchema: { type: 'array', items: 5 } },
            { name: 'odd', description: 'again', inputSchema: { type: 'object' } },
            { name: 'with space/and.dots', inputSchema: 'no schema' },
            { name: 'props', description: 7, inputSchema: { type: 'object', properties: { a: 5 } } },
            { name: '', inputSchema: {} },
            'no tool',
          ],
        }
      : { content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }, 5], structuredContent: { a: 1 } },
  '/page': (_rpc) => '<html>',
  '/endless': (_rpc, { cursor = '0' }) => ({ tools: [], nextCursor: `${Number(cursor) + 1}` }),
  '/many': (_rpc, { cursor = '0' }) => ({
    tools: Array.from({ length: 100 }, (_, at) => ({ name: `t${String(cursor)}_${at}`, inputSchema: {} })),
    nextCursor: `${Number(cursor) + 1}`,
  }),
  '/hangs': () => null,
  '/half': (rpc) => (rpc === 'tools/list' ? { tools: [{ name: 'wait', inputSchema: {} }] } : null),
};

/** The servers, until the tests of a file end. */
export async function startMcp(t: TestScope) {
  const asked: Parameters<Answer>[0][] = [];
  const birds = await startToolServer(t);
  const plain = await startToolServer(t, { json: true });
  const pages: Record<string, number> = {};
  const liar = await listen(t, (request, response) => {
    void (async () => {
      const path = request.url ?? '';
      const said = await readBody(request);
      if (said === '') return response.writeHead(405).end();
      const {
        id,
        method,
        params = {},
      } = JSON.parse(said) as {
        id?: number;
        method: string;
        params?: Record<string, unknown>;
      };
      if (id === undefined) return response.writeHead(202).end();
      pages[path] = (pages[path] ?? 0) + 1;
      const result =
        method === 'initialize' ? { protocolVersion: '2025-06-18' } : lies[path]?.(method, params);
      if (result === null) return;
      const json = typeof result === 'string' ? result : JSON.stringify({ jsonrpc: '2.0', id, result });
      response.writeHead(200, { 'content-type': 'application/json' }).end(json);
    })();
  });

  const server = await startServer(t, {
    providers: [
      scriptedProvider('lab', {
        caller: { answer: callerOf(asked) },
        mute: { capabilities: { tools: false } },
      }),
    ],
    config: `
outbound: { allow_hosts: ['${plain.host}', '${liar}'] }
mcp:
  any_public: true
  servers:
    - { name: birds, url: '${birds.url}', key: ${key}, headers: { X-Net: secret-net-name } }
    - { name: few, url: '${birds.url}?few', allowed_tools: [count] }
    - { name: hangs, url: 'http://${liar}/hangs', timeout_s: 0.2 }
    - { name: half, url: 'http://${liar}/half', timeout_s: 0.2 }
`,
  });
  const client = new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey: server.key, maxRetries: 0 });
  return { asked, birds, plain, liar, pages, server, client };
}

export function itemOf<Type extends Item['type']>({ output }: { output: Item[] }, type: Type) {
  const found = output.find((item) => item.type === type);
  assert.ok(found, `no ${type} in ${JSON.stringify(output)}`);
  return found as Extract<Item, { type: Type }>;
}
