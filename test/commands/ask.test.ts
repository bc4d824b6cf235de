import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  jobRoutes,
  modelList,
  refuse,
  startScriptedNestor,
  streamChat,
  type Route,
} from '../support/scripted-nestor.ts';
import { startServer, untilDocs } from '../support/server.ts';
import { jsonOf, openConsole } from './support.ts';

async function open(t: Parameters<typeof openConsole>[0], routes: Readonly<Record<string, Route>>) {
  const scripted = await startScriptedNestor(t, { 'GET /v1/models': modelList, ...routes });
  return { ...openConsole(t), scripted, api: { url: `${scripted.url}/`, key: 'k-0123456789' } };
}

suite('nestor ask', () => {
  test('streams the answer and lists its sources; the steps are for a terminal', async (t) => {
    const { nestor, scripted, api } = await open(t, { 'POST /chat/completions': streamChat() });
    const piped = await nestor(
      ['ask', 'What', 'is', 'a kea?', '--recency', 'month', '--domain', 'a.example'],
      { api },
    );
    assert.deepEqual([piped.code, piped.err], [0, '']);
    assert.match(
      piped.out,
      /^The kea is a parrot \[1\]\.\n\nSources\n\[1\] Kea \(2025-11-03\)\n +https:\/\/birds/,
    );
    const { body } = scripted.asked.at(-1) ?? assert.fail();
    const { messages, ...rest } = body as { readonly messages: readonly { readonly content: string }[] };
    assert.equal(messages[0]?.content, 'What is a kea?');
    assert.deepEqual(rest, {
      model: 'acme',
      stream: true,
      stream_mode: 'concise',
      search_recency_filter: 'month',
      search_domain_filter: ['a.example'],
    });
    const watched = await nestor(['ask', 'What is a kea?'], { api, isTerminal: true });
    assert.match(watched.err, /Look up the bird\./);
  });

  test('--json is the whole reply', async (t) => {
    const { nestor, api } = await open(t, { 'POST /chat/completions': streamChat() });
    const { citations } = jsonOf<{ readonly citations: readonly string[] }>(
      await nestor(['ask', '--json'], { api, stdin: 'What is a kea?' }),
    );
    assert.deepEqual(citations, ['https://birds.example/kea']);
  });

  test('an answer that fails or breaks off half-way ends with 1, what came is kept', async (t) => {
    for (const [how, message] of [
      ['fail', /^nestor: The backend gave an unusable answer\. \(502\)\n$/],
      ['cut', /^nestor: The answer broke off before its end\.\n$/],
    ] as const) {
      const { nestor, api } = await open(t, { 'POST /chat/completions': streamChat(how) });
      const { code, out, err } = await nestor(['ask', 'Kea?'], { api });
      assert.equal(code, 1);
      assert.match(out, /^The kea /);
      assert.match(err, message);
    }
  });

  test('what a model writes does not command the terminal', async (t) => {
    const hostile: Route = (_asked, response) => {
      const chunk = (object: string, content: string, more: object = {}) =>
        `data: ${JSON.stringify({ object, choices: [{ delta: { content }, message: { content } }], ...more })}\n\n`;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const search_results = [{ title: 'a\u001b]0;x\u0007b\nc', url: 'https://x.example/\u001b[2J' }];
      response.end(
        `${chunk('chat.completion.chunk', 'one\u001b[2J\ntwo\u202e')}${chunk('chat.completion.done', '', { search_results })}data: [DONE]\n\n`,
      );
    };
    const { nestor, api } = await open(t, { 'POST /chat/completions': hostile });
    const { out } = await nestor(['ask', 'x'], { api });
    assert.match(out, /^one\[2J\ntwo\n/);
    for (const letter of ['\u001b', '\u0007', '\u202e']) assert.ok(!out.includes(letter));
  });

  test('a terminal gets words, and a file the Markdown as it was written', async (t) => {
    const marked: Route = (_asked, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const choices = [
        { delta: { content: '## Kea\n\nA **parrot**, see [birds](https://birds.example/kea) [1].' } },
      ];
      response.end(
        `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices })}\n\ndata: ${JSON.stringify({ object: 'chat.completion.done', choices: [{ delta: { content: '' }, message: { content: '' } }] })}\n\ndata: [DONE]\n\n`,
      );
    };
    const { nestor, api } = await open(t, { 'POST /chat/completions': marked });
    const watched = await nestor(['ask', 'x'], { api, isTerminal: true });
    assert.equal(watched.out, 'Kea\n\nA parrot, see birds (https://birds.example/kea) [1].\n');
    const piped = await nestor(['ask', 'x'], { api });
    assert.equal(piped.out, '## Kea\n\nA **parrot**, see [birds](https://birds.example/kea) [1].\n');
  });

  test('answers on a real server without a model from what it knows', async (t) => {
    const { nestor } = openConsole(t);
    const api = await startServer(t, { withDocs: true });
    await untilDocs(api);
    const { code, out } = await nestor(['ask', 'How are rate limits told?'], { api });
    assert.equal(code, 0);
    assert.ok(out.length > 1);
  });
});

suite('nestor research', () => {
  test('starts a job, waits for it and prints the report with its sources', async (t) => {
    const { nestor, scripted, api } = await open(t, jobRoutes(2));
    const { code, out, err } = await nestor(['research', 'Keas?', '--effort', 'high'], { api });
    assert.equal(code, 0);
    assert.match(out, /^The kea is a parrot \[1\]\.\n\nSources\n\[1\] Kea/);
    assert.match(err, /^Job 5a1c3c9e-\S+\nResearch is under way\n$/);
    const { body } = scripted.asked.find(({ method }) => method === 'POST') ?? assert.fail();
    const { request } = body as { readonly request: Readonly<Record<string, unknown>> };
    assert.deepEqual([request['model'], request['reasoning_effort']], ['acme-deep-research', 'high']);
  });

  test('can be left and taken up again by its id', async (t) => {
    const { nestor, api } = await open(t, jobRoutes(3));
    const begun = await nestor(['research', 'Keas?', '--no-wait'], { api });
    assert.match(begun.out, /^5a1c3c9e-0f52-4c0a-8d8e-2f7f0e1a9b11\n$/);
    const id = begun.out.trim();
    const left = await nestor(['research', '--job', id], { api, signal: AbortSignal.timeout(300) });
    assert.equal(left.code, 130);
    assert.match(left.err, new RegExp(`nestor research --job ${id}`));
    const taken = jsonOf<{ readonly status: string }>(
      await nestor(['research', '--job', id, '--json'], { api }),
    );
    assert.equal(taken.status, 'COMPLETED');
  });

  test('a job that failed is told with its reason, one that is not there with 404', async (t) => {
    const failed = await open(t, jobRoutes(1, 'No model was available.'));
    const ended = await failed.nestor(['research', 'Keas?'], { api: failed.api });
    assert.equal(ended.code, 1);
    assert.match(ended.err, /nestor: No model was available\.\n$/);
    const gone = await failed.nestor(['research', '--job', 'nope'], { api: failed.api });
    assert.deepEqual([gone.code, gone.err], [1, 'nestor: Not found (404, request req-1)\n']);
  });

  test('a server that is away for a moment is waited for', async (t) => {
    const routes = jobRoutes(1);
    const path = Object.keys(routes).find((name) => name.startsWith('GET')) ?? assert.fail();
    let looks = 0;
    const flaky: Route = (asked, response) => {
      if (++looks <= 2) refuse(response, 503, 'starting', 10);
      else routes[path]?.(asked, response);
    };
    const { nestor, api } = await open(t, { ...routes, [path]: flaky });
    assert.equal((await nestor(['research', 'Keas?'], { api })).code, 0);
  });
});
