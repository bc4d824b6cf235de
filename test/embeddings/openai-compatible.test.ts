import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { openOpenAiCompatibleEngine } from '../../src/features/embeddings/engines/openai-compatible/index.ts';
import { Fault } from '../../src/kernel/faults.ts';
import { startEmbeddingUpstream, vectorOf } from '../support/upstream-embeddings.ts';
import type { UpstreamReply } from '../support/upstream.ts';

const { signal } = new AbortController();

async function open(t: TestContext, urls: readonly string[], timeoutMs = 20_000) {
  const upstreams = urls.map((url) => ({ url: `${url}/v1/`, key: 'upstream-key-1', model: 'm' }));
  const engine = await openOpenAiCompatibleEngine({ upstreams, timeoutMs, random: () => 0 });
  t.after(() => engine.close());
  return engine;
}

const isFault = (code: string) => (error: unknown) =>
  error instanceof Fault && error.code === code && !error.message.includes('upstream-secret');

test('vectors come by index, in batches, with the key, and are cut or filled to the size', async (t) => {
  const upstream = await startEmbeddingUpstream(t, { dimensions: 1_536 });
  const engine = await open(t, [upstream.url]);
  const texts = Array.from({ length: 150 }, (_, index) => `text ${index}`);
  const vectors = await engine.embed(texts, 1024, signal);
  assert.deepEqual(
    [...(vectors[149] ?? [])],
    vectorOf('text 149', 1_024).map((value) => Math.fround(value)),
  );
  assert.equal(upstream.requests.length, 3);
  assert.ok(upstream.requests.every(({ headers }) => headers['authorization'] === 'Bearer upstream-key-1'));
  const [wide] = await engine.embed(['a'], 2560, signal);
  assert.deepEqual([wide?.length, wide?.[2_559], wide?.[1_536]], [2560, 0, 0]);
});

test('a server that is busy is asked again, one that is gone is passed by', async (t) => {
  const busy = await startEmbeddingUpstream(t, {
    before: (call) => (call === 0 ? { json: {}, status: 503, headers: { 'retry-after': '0' } } : undefined),
  });
  assert.equal((await (await open(t, [busy.url])).embed(['a'], 1024, signal)).length, 1);
  const gone = await startEmbeddingUpstream(t);
  await gone.kill();
  const engine = await open(t, [gone.url, busy.url]);
  assert.equal((await engine.embed(['a'], 1024, signal)).length, 1);
});

test('a model that gives a vector for each token is told to the operator as that', async (t) => {
  const upstream = await startEmbeddingUpstream(t, {
    before: () => ({
      json: {
        data: [
          {
            index: 0,
            embedding: [
              [1, 2],
              [3, 4],
            ],
          },
        ],
      },
    }),
  });
  const engine = await open(t, [upstream.url]);
  await assert.rejects(engine.embed(['a'], 1024, signal), (error: unknown) => {
    assert.ok(error instanceof Fault && error.code === 'bad_gateway');
    assert.match(String(error.cause), /a vector for each token in place of one for the text/);
    return true;
  });
});

test('what cannot be used is a fault without a word of the server', async (t) => {
  const broken: readonly (readonly [UpstreamReply, string])[] = [
    [{ fault: 'html' }, 'bad_gateway'],
    [{ fault: 'cut' }, 'bad_gateway'],
    [{ fault: 'noise' }, 'bad_gateway'],
    [{ json: { error: { message: 'upstream-secret-text' } }, status: 400 }, 'bad_gateway'],
    [{ json: { data: [] } }, 'bad_gateway'],
    [{ json: { data: [{ index: 5, embedding: [1] }] } }, 'bad_gateway'],
    [{ json: { data: [{ index: 0, embedding: [1, null] }] } }, 'bad_gateway'],
    [{ json: { data: [{ index: 0, embedding: 'AAAA' }] } }, 'bad_gateway'],
    [{ json: {}, status: 429, headers: { 'retry-after': '60' } }, 'service_unavailable'],
    [{ fault: 'reset' }, 'service_unavailable'],
  ];
  for (const [reply, code] of broken) {
    const upstream = await startEmbeddingUpstream(t, { before: () => reply });
    const engine = await open(t, [upstream.url]);
    await assert.rejects(engine.embed(['a'], 1024, signal), isFault(code), JSON.stringify(reply));
  }
  const silent = await startEmbeddingUpstream(t, { before: () => ({ fault: 'hang' }) });
  await assert.rejects(
    (await open(t, [silent.url], 200)).embed(['a'], 1024, signal),
    isFault('gateway_timeout'),
  );
});
