import assert from 'node:assert/strict';
import { once } from 'node:events';
import { suite, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { DecisionEngine } from '../../src/features/decisions/engine.ts';
import { createManualClock } from '../support/clock.ts';
import {
  jobRoutes,
  modelList,
  refuse,
  searchReply,
  startScriptedNestor,
  streamChat,
  type Route,
} from '../support/scripted-nestor.ts';
import { startServer } from '../support/server.ts';

const entry = fileURLToPath(new URL('../../bin/nestor.mjs', import.meta.url));
const names = ['decide', 'search', 'ask', 'research'];

/** The official client, connected by a transport of its own; closed when the test ends. */
async function connect(t: TestContext, transport: StdioClientTransport | StreamableHTTPClientTransport) {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  t.after(() => client.close());
  return client;
}

function connectHttp(t: TestContext, { url, key }: { readonly url: string; readonly key: string }) {
  const headers = { authorization: `Bearer ${key}` };
  return connect(t, new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
}

function connectStdio(t: TestContext, { url, key }: { readonly url: string; readonly key: string }) {
  const env = { PATH: process.env['PATH'] ?? '', NESTOR_URL: url, NESTOR_KEY: key };
  return connect(
    t,
    new StdioClientTransport({ command: process.execPath, args: [entry, 'mcp'], env, stderr: 'inherit' }),
  );
}

interface Called {
  readonly text: string;
  readonly data: Record<string, unknown>;
  readonly isError: boolean;
}

type Options = Parameters<Client['callTool']>[2];

/** The official client holds the structured content against the output schema by itself. */
async function call(
  client: Client,
  name: string,
  input: Record<string, unknown>,
  options?: Options,
): Promise<Called> {
  const result = await client.callTool({ name, arguments: input }, undefined, options);
  const [first] = result.content as readonly { readonly type: string; readonly text: string }[];
  assert.equal(first?.type, 'text');
  return {
    text: first.text,
    data: (result.structuredContent ?? {}) as Record<string, unknown>,
    isError: result.isError === true,
  };
}

const refund = {
  state: 'I want my money back',
  questions: {
    refund: { type: 'noul', instructions: 'Is a refund asked for?' },
    topic: { type: 'choice', criteria: { billing: 'money', other: null } },
    anger: { type: 'score', criteria: ['calm', 'angry'] },
  },
};

const transports = { 'streamable HTTP': connectHttp, stdio: connectStdio } as const;

for (const [transport, connectTo] of Object.entries(transports)) {
  suite(`the official MCP client over ${transport}, on a real server`, () => {
    test('finds the tools with schemas and what may be assumed of them', async (t) => {
      const client = await connectTo(t, await startServer(t));
      assert.equal(client.getServerVersion()?.name, 'nestor');
      assert.match(client.getInstructions() ?? '', /decide/);
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        names,
      );
      for (const { description, inputSchema, outputSchema, annotations } of tools) {
        assert.ok((description ?? '').length > 50);
        assert.equal(inputSchema.type, 'object');
        assert.equal(outputSchema?.type, 'object');
        assert.deepEqual([annotations?.readOnlyHint, annotations?.destructiveHint], [true, false]);
      }
      await client.ping();
    });

    test('decides, and gives words to the model and numbers to the program', async (t) => {
      const client = await connectTo(t, await startServer(t));
      await client.listTools();
      const { text, data, isError } = await call(client, 'decide', refund);
      assert.equal(isError, false);
      assert.match(
        text,
        /^refund: (yes|no) \(probability of yes [\d.]+\)\ntopic: .*\nanger: .* on a scale from 0 to 1/,
      );
      const answers = data['answers'] as Record<string, { readonly type: string }>;
      assert.deepEqual(
        [data['model'], Object.keys(answers)],
        ['svc-decider-v1-27b', ['refund', 'topic', 'anger']],
      );
    });

    test('what the server refuses is an error of the tool, with the message of the server', async (t) => {
      const client = await connectTo(t, await startServer(t));
      const wrongModel = await call(client, 'decide', { ...refund, model: 'nope' });
      assert.equal(wrongModel.isError, true);
      assert.match(wrongModel.text, /Invalid model 'nope'.*\(400, request [0-9a-f-]{36}\)$/);
      const missing = await call(client, 'decide', { state: 'x' });
      assert.equal(missing.isError, true);
      assert.match(missing.text, /questions/);
      const question = { type: 'bool', instructions: 'x' };
      const misspelt = await call(client, 'decide', { state: 'x', questions: { a: question } });
      assert.equal(misspelt.text, 'questions.a.type: must be one of noul, choice, score');
      const unknown = await call(client, 'decide', { ...refund, colour: 'x' });
      assert.equal(unknown.text, 'colour: unknown field');
      await assert.rejects(client.callTool({ name: 'explode', arguments: {} }), /-32602.*decide, search/);
    });
  });
}

suite('POST /mcp', () => {
  const post = (url: string, body: unknown, headers: Record<string, string>) =>
    fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(body) });

  test('tools are limited and metered as the operations that they call', async (t) => {
    const config = 'rate_limits:\n  tables:\n    decisions: 2\n';
    const server = await startServer(t, { config, clock: createManualClock() });
    const client = await connectHttp(t, server);
    const results = await Promise.all([1, 2, 3, 4].map(() => call(client, 'decide', refund)));
    const refused = results.filter(({ isError }) => isError);
    assert.equal(refused.length, 2);
    assert.match(refused[0]?.text ?? '', /Request rate limit exceeded/);
    const recorded = server.log.filter(({ operation }) => operation === 'createDecision');
    assert.equal(recorded.length, 4);
    assert.ok(recorded.every(({ account }) => account === 'default'));
  });

  test('a wrong key, a foreign page and an unknown version are refused before anything runs', async (t) => {
    const server = await startServer(t, { env: { NESTOR_CORS_ORIGINS: 'https://app.example' } });
    const authorization = `Bearer ${server.key}`;
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const status = async (headers: Record<string, string>) => (await post(server.url, ping, headers)).status;
    assert.equal(await status({ authorization: 'Bearer wrong-key-0123456789' }), 401);
    assert.equal(await status({ authorization, origin: 'https://evil.example' }), 403);
    assert.equal(await status({ authorization, origin: 'null' }), 403);
    assert.equal(await status({ authorization, origin: 'https://app.example' }), 200);
    assert.equal(await status({ authorization, origin: 'http://localhost:6274' }), 200);
    assert.equal(await status({ authorization, 'mcp-protocol-version': '1999-01-01' }), 400);
    assert.equal(await status({ authorization, 'mcp-protocol-version': '2025-06-18' }), 200);
    const get = await fetch(`${server.url}/mcp`, { headers: { authorization } });
    assert.deepEqual([get.status, get.headers.get('allow')], [405, 'POST']);
    const connected = connectHttp(t, { ...server, key: 'wrong-key-0123456789' });
    await assert.rejects(connected, /401|Invalid API key/);
  });

  test('a notification is taken without an answer, and what is no request is told by its code', async (t) => {
    const server = await startServer(t);
    const headers = { authorization: `Bearer ${server.key}` };
    const taken = await post(server.url, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
    assert.deepEqual([taken.status, await taken.text()], [202, '']);
    const unknown = await post(server.url, { jsonrpc: '2.0', id: 'a', method: 'resources/list' }, headers);
    const { id, error } = (await unknown.json()) as { id: string; error: { code: number } };
    assert.deepEqual([id, error.code], ['a', -32_601]);
    assert.equal((await post(server.url, { jsonrpc: '1.0', id: 1, method: 'ping' }, headers)).status, 400);
  });
});

suite('a client of POST /mcp that goes away', () => {
  for (const [about, more] of [
    ['one answer', {}],
    ['a stream', { _meta: { progressToken: 1 } }],
  ] as const) {
    test(`ends the operation that its tool called, while it waits for ${about}`, async (t) => {
      const begun = Promise.withResolvers<AbortSignal>();
      const decisions: DecisionEngine = {
        name: 'slow',
        vision: false,
        health: () => 'ok',
        countTokens: () => Promise.resolve(1),
        score: (_state, _views, signal) => {
          begun.resolve(signal);
          return new Promise(() => {});
        },
        close: () => Promise.resolve(),
      };
      const server = await startServer(t, { decisions });
      const leave = new AbortController();
      const sent = fetch(`${server.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${server.key}`,
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'decide', arguments: refund, ...more },
        }),
        signal: leave.signal,
      });
      const signal = await begun.promise;
      leave.abort();
      await assert.rejects(sent, { name: 'AbortError' });
      if (!signal.aborted) await once(signal, 'abort');
      assert.equal((signal.reason as { readonly code?: string }).code, 'client_closed');
    });
  }
});

suite('tools of MCP over the wires of chat, jobs and search', () => {
  const open = async (t: TestContext, routes: Readonly<Record<string, Route>>) => {
    const scripted = await startScriptedNestor(t, { 'GET /v1/models': modelList, ...routes });
    const client = await connectStdio(t, { url: scripted.url, key: 'k-0123456789' });
    await client.listTools();
    return { client, scripted };
  };

  test('ask streams the steps as progress and answers with numbered sources', async (t) => {
    const { client, scripted } = await open(t, { 'POST /chat/completions': streamChat() });
    const news: string[] = [];
    const onprogress = ({ message }: { readonly message?: string | undefined }) =>
      void news.push(message ?? '');
    const { text, data } = await call(client, 'ask', { question: 'What is a kea?' }, { onprogress });
    assert.match(text, /^The kea is a parrot \[1\]\.\n\nSources:\n\[1\] Kea \(2025-11-03\)\nhttps:\/\/birds/);
    assert.equal(data['answer'], 'The kea is a parrot [1].');
    // The official client forgets what came in one piece with the answer, so only the first is sure.
    assert.equal(news[0], 'Look up the bird.');
    const { headers, body } = scripted.asked.at(-1) ?? assert.fail();
    assert.equal(headers.authorization, 'Bearer k-0123456789');
    assert.equal((body as { readonly model: string }).model, 'acme');
  });

  test('an answer that breaks off or fails half-way is an error of the tool', async (t) => {
    for (const [how, message] of [
      ['cut', /broke off/],
      ['fail', /unusable answer\. \(502\)$/],
    ] as const) {
      const { client } = await open(t, { 'POST /chat/completions': streamChat(how) });
      const { text, isError } = await call(client, 'ask', { question: 'What is a kea?' });
      assert.equal(isError, true);
      assert.match(text, message);
    }
  });

  test('research waits for its job, and names it when it takes longer than was asked', async (t) => {
    const { client } = await open(t, jobRoutes(2));
    const late = await call(client, 'research', { question: 'Keas?', wait_seconds: 1 });
    assert.equal(late.data['status'], 'IN_PROGRESS');
    const done = await call(client, 'research', { job_id: late.data['job_id'] });
    assert.equal(done.data['status'], 'COMPLETED');
    assert.match(done.text, /Sources:\n\[1\] Kea/);
    const both = await call(client, 'research', {});
    assert.match(both.text, /either question or job_id/);
  });

  test('research that failed says why', async (t) => {
    const { client } = await open(t, jobRoutes(1, 'No model was available.'));
    const { text, isError } = await call(client, 'research', { question: 'Keas?' });
    assert.deepEqual([isError, text], [true, 'No model was available.']);
  });

  test('search lists pages with extracts', async (t) => {
    const { client, scripted } = await open(t, { 'POST /search': searchReply });
    const { text } = await call(client, 'search', { query: 'kea', max_results: 3, search_mode: 'academic' });
    assert.match(text, /^\[1\] Kea \(2025-11-03\)\nhttps:\/\/birds\.example\/kea\nThe kea is a parrot\.$/);
    const { body } = scripted.asked.at(-1) ?? assert.fail();
    assert.deepEqual(body, { query: 'kea', max_results: 3, search_mode: 'academic' });
  });

  test('a call that the client cancels ends, and the next one is answered', async (t) => {
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const { client } = await open(t, {
      'POST /search': (_asked, response) => {
        response.on('close', ended.resolve);
        begun.resolve();
      },
      'POST /v1/decisions': (_asked, response) => refuse(response, 503, 'Not now', 10),
    });
    const cancel = new AbortController();
    const called = call(client, 'search', { query: 'kea' }, { signal: cancel.signal });
    // Its rejection may come first.
    const rejected = assert.rejects(called);
    await begun.promise;
    cancel.abort();
    await rejected;
    assert.match((await call(client, 'decide', refund)).text, /Not now \(503/);
    // The connection of the cancelled call is closed, so that the server stops its work.
    await ended.promise;
  });
});

suite('tools of MCP on a server without a model and without an engine for the web', () => {
  test('search answers from the own index', async (t) => {
    const client = await connectHttp(t, await startServer(t));
    const { isError } = await call(client, 'search', { query: 'a word that no page has: xqzv' });
    assert.equal(isError, false);
  });

  test('ask answers, over HTTP with progress', async (t) => {
    const client = await connectHttp(t, await startServer(t));
    const onprogress = () => {};
    const { isError, data } = await call(client, 'ask', { question: 'What is a kea?' }, { onprogress });
    assert.equal(isError, false);
    assert.equal(typeof data['answer'], 'string');
  });

  test('research is done in the background', async (t) => {
    const client = await connectHttp(t, await startServer(t));
    const news: string[] = [];
    const onprogress = ({ message = '' }: { readonly message?: string | undefined }) =>
      void news.push(message);
    const input = { question: 'What is a kea?', effort: 'low' };
    const { isError, data } = await call(client, 'research', input, { onprogress });
    assert.deepEqual([isError, data['status']], [false, 'COMPLETED']);
    assert.match(news[0] ?? '', /^(waiting|researching), look 1$/);
  });
});
