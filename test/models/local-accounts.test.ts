import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { setImmediate as yieldNow } from 'node:timers/promises';
import { openLocalEngine } from '../../src/features/decisions/engines/local/index.ts';
import { openLocalEngine as openLocalEmbeddings } from '../../src/features/embeddings/engines/local/index.ts';
import type { Model, ModelEvent, ModelRequest } from '../../src/features/models/model.ts';
import { writeTestModel } from '../support/gguf.ts';
import { noulOf, proseOf, stateOf } from '../support/gguf-questions.ts';
import { comparable, oneThread, openTestLocal } from '../support/local-models.ts';
import { startServer } from '../support/server.ts';
import { collect, faultOf, firstModel, plainRequest } from './suite.ts';

const never = new AbortController().signal;

function asking(account: string, text: string, tokens: number): Partial<ModelRequest> {
  const turns = [{ role: 'user', parts: [{ type: 'text', text }] }] as const;
  return { account, turns, seed: 1, outputTokensMax: tokens };
}

/** Reads an answer in the background: its events, and when its first word had come. */
function begin(model: Model, request: Partial<ModelRequest>, signal: AbortSignal, onEnd: () => void) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const events: ModelEvent[] = [];
  const read = (async () => {
    for await (const batch of model.stream({ ...plainRequest, ...request }, signal)) {
      events.push(...batch);
      if (events.some(({ type }) => type === 'text-delta')) resolve();
    }
    onEnd();
    return events;
  })();
  read.catch(() => {});
  return { read, begun: Promise.race([promise, read]) };
}

/** Ten long answers of one account, begun: some are being written, the others wait. */
async function beginTen(t: TestContext, model: Model, tokens: number) {
  const stop = new AbortController();
  t.after(() => stop.abort(new Error('the test is over')));
  const ended: number[] = [];
  const answers = Array.from({ length: 10 }, (_, at) =>
    begin(model, asking('greedy', `${at} at length`, tokens), stop.signal, () => ended.push(at)),
  );
  await Promise.any(answers.map(({ begun }) => begun));
  return ended;
}

suite('accounts that share a local model', () => {
  test('ten long answers of one do not hold up a short one of another', async (t) => {
    const { provider } = await openTestLocal(t);
    const model = firstModel(provider);
    const ended = await beginTen(t, model, 1_500);
    const { usage } = await collect(model, asking('modest', 'Briefly', 8));
    assert.equal(usage.output, 8);
    assert.deepEqual(ended, []);
  });

  test('nor where there is one lane', async (t) => {
    const { provider } = await openTestLocal(t, {}, { cacheBytes: 1 });
    const model = firstModel(provider);
    const ended = await beginTen(t, model, 1_500);
    const { usage } = await collect(model, asking('modest', 'Briefly', 4));
    assert.equal(usage.output, 4);
    assert.deepEqual(ended, []);
  });

  test('an answer that gave its lane back is the same as alone', async (t) => {
    for (const cacheBytes of [1, oneThread.cacheBytes]) {
      const { provider, engine } = await openTestLocal(t, {}, { cacheBytes });
      const model = firstModel(provider);
      const requests = Array.from({ length: 4 }, (_, at) => asking('greedy', `${at} at length`, 120));
      const alone: unknown[] = [];
      const start = engine.evaluated();
      for (const request of requests) alone.push(comparable((await collect(model, request)).events));
      const short = asking('modest', 'Briefly', 5);
      const shortAlone = comparable((await collect(model, short)).events);
      const [onceAll, evaluated] = [engine.evaluated() - start, engine.evaluated()];
      const answers = requests.map((request) => begin(model, request, never, () => {}));
      await Promise.any(answers.map(({ begun }) => begun));
      assert.deepEqual(comparable((await collect(model, short)).events), shortAlone);
      const long = await Promise.all(answers.map(({ read }) => read));
      assert.deepEqual(long.map(comparable), alone);
      assert.ok(engine.evaluated() - evaluated > onceAll, 'what was written is written again');
    }
  });

  test('accounts that share one lane all go on, and write again at most twice what they write', async (t) => {
    const { provider, engine } = await openTestLocal(t, {}, { cacheBytes: 1 });
    const model = firstModel(provider);
    const requests = ['a', 'b', 'c'].map((account) => asking(account, `${account} at length`, 120));
    const start = engine.evaluated();
    const alone: unknown[] = [];
    for (const request of requests) alone.push(comparable((await collect(model, request)).events));
    const once = engine.evaluated() - start;
    const together = await Promise.all(requests.map((request) => collect(model, request)));
    assert.deepEqual(
      together.map(({ events }) => comparable(events)),
      alone,
    );
    const evaluated = engine.evaluated() - start - once;
    assert.ok(evaluated > once && evaluated <= 3 * once, `${evaluated} tokens instead of ${once}`);
  });

  test('one does not take every place: others are written while its further ones are refused', async (t) => {
    const { provider } = await openTestLocal(t, {}, { answersMax: 4 });
    const model = firstModel(provider);
    const greedy = Array.from({ length: 3 }, () => collect(model, asking('greedy', 'Long', 60)));
    const outcomes = Promise.allSettled(greedy);
    assert.equal((await collect(model, asking('modest', 'Briefly', 3))).usage.output, 3);
    const fault = await faultOf(greedy[2] ?? Promise.resolve());
    assert.equal(fault.code, 'service_unavailable');
    assert.deepEqual(
      (await outcomes).map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected'],
    );
  });

  test('ten decisions over long states of one do not hold up a short one of another', async (t) => {
    const engine = await openLocalEngine({ path: await writeTestModel(), ...oneThread });
    t.after(() => engine.close());
    const questions = [noulOf('Is it?')];
    const expected = await engine.score(stateOf('short'), questions, never);
    const ended: number[] = [];
    const before = engine.evaluatedTokens();
    const greedy = Array.from({ length: 10 }, async (_, at) => {
      await engine.score(stateOf(proseOf(60, `L${at}`)), questions, never, 'greedy');
      ended.push(at);
    });
    // Every lane has a long state by then.
    while (engine.evaluatedTokens() - before < 16 * 128) await yieldNow();
    assert.deepEqual(await engine.score(stateOf('other'), questions, never, 'modest').then(() => ended), []);
    await Promise.all(greedy);
    assert.equal(ended.length, 10);
    assert.deepEqual(await engine.score(stateOf('short'), questions, never), expected);
  });

  test('a local embedding model: one account does not take every place, and others are read meanwhile', async (t) => {
    const path = await writeTestModel({ pooling: 3 });
    const engine = await openLocalEmbeddings({ path, dataFolder: '.', threads: 1, requestsMax: 4 });
    t.after(() => engine.close());
    const [expected] = await engine.embed(['a'], 1024, never);
    const ended: number[] = [];
    const texts = Array.from({ length: 20 }, (_, at) => `${at} ${'word '.repeat(60)}`);
    const greedy = Array.from({ length: 4 }, async (_, at) => {
      await engine.embed(texts, 1024, never, 'greedy');
      ended.push(at);
    });
    const outcomes = Promise.allSettled(greedy);
    const [vector] = await engine.embed(['a'], 1024, never, 'modest');
    assert.deepEqual(ended, []);
    assert.deepEqual(vector, expected);
    assert.deepEqual(
      (await outcomes).map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'rejected'],
    );
  });
});

const keys = { greedy: 'key-of-the-greedy-account-01', modest: 'key-of-the-modest-account-02' };

test('through the port: the long answers of one account hold up no answer, decision or vector of another', async (t) => {
  const chat = await writeTestModel();
  const config = {
    keys: Object.entries(keys).map(([account, key]) => ({ key, account })),
    providers: [{ name: 'home', type: 'local', path: chat }],
    decisions: { engine: 'local', path: chat, threads: 1 },
    embeddings: { engine: 'local', path: await writeTestModel({ pooling: 3 }) },
    rate_limits: { enabled: false },
  };
  const server = await startServer(t, { config: JSON.stringify(config) });
  const { data } = (await (await fetch(`${server.url}/v1/models`)).json()) as {
    readonly data: readonly { readonly id: string }[];
  };
  const model = data.find(({ id }) => id.startsWith('home/'))?.id ?? '';
  const send = (account: keyof typeof keys, path: string, body: object, signal = never) =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys[account]}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    });
  const chatOf = (tokens: number, text: string) => ({
    model,
    max_tokens: tokens,
    messages: [{ role: 'user', content: text }],
  });
  const stop = new AbortController();
  const ended: number[] = [];
  const long = Array.from({ length: 10 }, async (_, at) => {
    const body = { ...chatOf(2_000, `${at} at length`), stream: true };
    const response = await send('greedy', '/router/v1/chat/completions', body, stop.signal);
    assert.equal(response.status, 200);
    void response.text().then(
      () => ended.push(at),
      () => {},
    );
  });
  await Promise.any(long);
  const replies = [
    await send('modest', '/router/v1/chat/completions', chatOf(5, 'Briefly')),
    await send('modest', '/v1/decisions', {
      model: 'svc-decider-v1-27b',
      state: 'It rains.',
      questions: { wet: { type: 'noul', instructions: 'Is it wet?' } },
    }),
    await send('modest', '/v1/embeddings', { model: 'svc-embed-v1-0.6b', input: ['a'] }),
  ];
  for (const reply of replies) assert.equal(reply.status, 200, await reply.text());
  assert.deepEqual(ended, []);
  stop.abort();
  await Promise.allSettled(long);
});
