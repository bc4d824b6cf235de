import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { nativeQuestions, openAiBody, state } from '../support/examples.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { llamaHandler } from '../support/upstream-local-servers.ts';
import { startUpstream, type UpstreamHandler } from '../support/upstream.ts';
import { pollEnd } from '../support/until.ts';

const main = 'svc-decider-v1-27b';
const paths = ['/v1/decisions', '/v1/systemone', '/openai/v1/decisions'] as const;

/** A server whose decider is the embedded one, with `by-model` beside it. */
async function start(t: TestContext, handler: UpstreamHandler, more: object = {}): Promise<TestServer> {
  const upstream = await startUpstream(t, handler);
  const upstreams = [{ url: upstream.url, key: 'sk-upstream-key', model: 'local-model' }];
  const compare = [
    { name: 'by-model', engine: 'logprobs', upstreams },
    { name: 'by-words', engine: 'words' },
  ];
  const config = {
    decisions: { engine: 'words', compare },
    aliases: { models: { other: 'by-model' } },
    ...more,
  };
  return startServer(t, { config: JSON.stringify(config) });
}

function bodyOf(path: (typeof paths)[number], model: string): object {
  return path.startsWith('/openai') ? { ...openAiBody, model } : { model, state, questions: nativeQuestions };
}

async function ask(
  server: TestServer,
  path: (typeof paths)[number],
  model: string,
): Promise<{
  readonly status: number;
  readonly engine: string | null;
  readonly body: Record<string, unknown>;
}> {
  const response = await server.post(path, bodyOf(path, model));
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, engine: response.headers.get('x-nestor-engine'), body };
}

test('each decider answers under its own names, on every path, and tells its engine', async (t) => {
  const server = await start(t, llamaHandler());
  for (const path of paths) {
    const answers = new Map<string, string>();
    for (const [model, engine] of [
      [main, 'words'],
      ['pplx-decider-v1-27b', 'words'],
      ['by-model', 'logprobs'],
      ['other', 'logprobs'],
      ['by-words', 'words'],
    ] as const) {
      const { status, engine: told, body } = await ask(server, path, model);
      assert.deepEqual([status, told, body['model']], [200, engine, model], `${path} ${model}`);
      answers.set(model, JSON.stringify(body['answers'] ?? body['results'] ?? body['output']));
    }
    assert.equal(answers.get('other'), answers.get('by-model'), path);
    assert.equal(answers.get('by-words'), answers.get(main), path);
    assert.notEqual(answers.get('by-model'), answers.get(main), path);
  }
});

test('another name is refused with those of every decider; the description lists them', async (t) => {
  const server = await start(t, llamaHandler());
  for (const path of paths) {
    const { status, body } = await ask(server, path, 'by-nobody');
    assert.equal(status, 400);
    const { message } = body['error'] as { readonly message: string };
    assert.equal(message, `Invalid model 'by-nobody'. Permitted models: ${main}, by-model, by-words`);
  }
  const description = await (await fetch(`${server.url}/openapi.json`)).text();
  assert.ok(description.includes(`One of: ${main}, by-model, by-words, pplx-decider-v1-27b, other"`));
  const headers = { authorization: `Bearer ${server.key}`, 'x-typesafe-sdk': 'x' };
  const listed = (await (await fetch(`${server.url}/v1/models`, { headers })).json()) as {
    readonly models: readonly { readonly name: string }[];
  };
  assert.deepEqual(
    listed.models.map(({ name }) => name),
    [main, 'jev-latest', 'by-model', 'by-words'],
  );
});

test('a decision of a compared decider is metered under its name, at the price of decisions', async (t) => {
  const server = await start(t, llamaHandler(), { prices: { decisions: 3 } });
  const tokens = new Map<string, number>();
  for (const model of [main, 'by-model', 'other']) {
    const { body } = await ask(server, '/v1/decisions', model);
    tokens.set(model, (body['usage'] as { readonly input_tokens: number }).input_tokens);
  }
  const costs = (rows: readonly Row[], name: string) =>
    rows.filter(({ model }) => model === name).map((row) => row.cost_usd);
  const costOf = (name: string) => ((tokens.get(name) ?? 0) * 3) / 1e6;
  const rows = await untilRows(server, 3);
  assert.equal(rows.length, 3);
  assert.deepEqual(costs(rows, main), [costOf(main)]);
  assert.deepEqual(costs(rows, 'by-model'), [costOf('by-model'), costOf('other')]);
});

test('a compared decider that is down fails alone, and readiness is that of the first', async (t) => {
  const server = await start(t, () => ({ status: 500, json: { error: 'broken' } }));
  const { status } = await ask(server, '/v1/decisions', 'by-model');
  assert.ok(status === 502 || status === 503, String(status));
  assert.equal((await ask(server, '/v1/decisions', main)).status, 200);
  assert.equal((await ask(server, '/v1/decisions', 'by-words')).status, 200);
  const ready = await fetch(`${server.url}/readyz`);
  assert.equal(ready.status, 200);
  const parts = (await ready.json()) as Readonly<Record<string, unknown>>;
  assert.ok(!JSON.stringify(parts).includes('by-model'));
});

test('one that cannot be opened stops the start by its name', async (t) => {
  const compare = [
    { name: 'by-words', engine: 'words' },
    { name: 'by-file', engine: 'local' },
  ];
  await assert.rejects(startServer(t, { config: JSON.stringify({ decisions: { compare } }) }), {
    message: /^decisions\.compare by-file: .*no GGUF file is named/,
  });
});

interface Row {
  readonly model: string;
  readonly cost_usd: number;
}

function untilRows({ url, key }: TestServer, count: number): Promise<readonly Row[]> {
  const headers = { authorization: `Bearer ${key}` };
  const look = async () =>
    (
      (await (await fetch(`${url}/v1/account/usage`, { headers })).json()) as {
        readonly data: readonly Row[];
      }
    ).data;
  return pollEnd(look, ({ length }) => length >= count, `fewer than ${count} rows`);
}
