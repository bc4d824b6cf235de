import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { openOnnxEngine, startOnnxEngine } from '../../src/features/embeddings/engines/onnx/index.ts';
import { openEmbeddingEngine } from '../../src/features/embeddings/open-embeddings.ts';
import { rerank, type Embed } from '../../src/features/search/rank.ts';
import { Fault } from '../../src/kernel/faults.ts';
import { writeOnnxModel, type TestOnnx } from '../support/onnx.ts';
import { variationsOf } from '../support/rounds.ts';
import { startServer } from '../support/server.ts';
import { hit } from '../support/upstream-search.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { miniLm, readReferences, skipsWeights } from '../support/weights.ts';

const never = new AbortController().signal;

async function open(t: TestContext, model: TestOnnx) {
  const engine = await openOnnxEngine({ path: await writeOnnxModel(t, model), dataFolder: '.' });
  t.after(() => engine.close());
  assert.equal(engine.problem, null);
  return engine;
}

suite('the embedding engine onnx', () => {
  test('joins tokens as the model says: mean, first, last, or the graph itself', async (t) => {
    const vectors = new Map<string, Float32Array>();
    for (const [name, model] of Object.entries({
      mean: {},
      first: { pooling: 'pooling_mode_cls_token' },
      last: { pooling: 'pooling_mode_lasttoken' },
      graph: { output: 'sentence_embedding', pooling: null },
      normal: { normalizes: true },
    } as const satisfies Record<string, TestOnnx>)) {
      const [vector] = await (await open(t, model)).embed(['the bird lives'], 1024, never);
      vectors.set(name, vector?.subarray(0, 32) ?? new Float32Array());
    }
    assert.equal(new Set([...vectors.values()].map((vector) => vector.join())).size, 5);
    const { mean = [], normal = [] } = Object.fromEntries(vectors);
    const length = Math.hypot(...mean);
    assert.ok(Math.abs(Math.hypot(...normal) - 1) < 1e-6);
    assert.ok(normal.every((value, index) => Math.abs(value - (mean[index] ?? 0) / length) < 1e-6));
  });

  test('puts the default prompt of the model before a text, and no other', async (t) => {
    const prompts = { query: 'two: ', passage: 'one: ' };
    const plain = await open(t, {});
    const silent = await open(t, { prompts });
    const prompted = await open(t, { prompts, defaultPrompt: 'query' });
    const [own, told] = await plain.embed(['the bird', 'two: the bird'], 1024, never);
    assert.deepEqual(await silent.embed(['the bird'], 1024, never), [own]);
    assert.deepEqual(await prompted.embed(['the bird'], 1024, never), [told]);
    assert.deepEqual(await prompted.countTokens(['the bird', ''], never), [6, 0]);
  });

  test('a text that the model cannot read as a whole is refused and never cut', async (t) => {
    const engine = await open(t, { tokensMax: 16 });
    assert.deepEqual(await engine.countTokens(['the '.repeat(14)], never), [16]);
    const refusal = (error: unknown) =>
      error instanceof Fault &&
      error.code === 'validation_failed' &&
      error.message === 'input: a text has 17 tokens, the local embedding model takes at most 16';
    await assert.rejects(engine.embed(['the', 'the '.repeat(15)], 1024, never), refusal);
  });

  test('a classifier is refused, a folder without a model is down, and auto takes what is named', async (t) => {
    const folder = await temporaryFolder(t);
    const classifier = await writeOnnxModel(t, { output: 'logits', labels: ['a'] });
    const encoder = await writeOnnxModel(t, {}, join(folder, 'models', 'encoder'));
    const cases = [
      [classifier, `${classifier}: the model is a classifier and no sentence encoder`],
      [
        join(folder, 'models'),
        `${join(folder, 'models')}: no graph lies in it: a file that ends in .onnx is missing`,
      ],
    ] as const;
    for (const [path, problem] of cases) {
      const engine = await openOnnxEngine({ path, dataFolder: folder });
      assert.equal(engine.problem, problem);
      await assert.rejects(engine.embed(['a'], 1024, never), { code: 'service_unavailable' });
    }
    const choice = { upstreams: [], gpu: false, timeoutMs: 1_000, dataFolder: folder } as const;
    for (const [engine, path] of [
      ['onnx', null],
      ['auto', encoder],
      ['auto', join(encoder, 'model.onnx')],
    ] as const) {
      const found = await openEmbeddingEngine({ ...choice, engine, path });
      t.after(() => found.close());
      const { problem, about = '' } = (await found.opened) ?? {};
      assert.deepEqual([found.name, problem], ['onnx', null]);
      assert.match(about, /: 32 dimensions, texts of up to 256 tokens, \d+ MiB in onnxruntime-/);
    }
  });
});

suite('the embedding engine onnx at the start', () => {
  test('is there before its model, and what is asked meanwhile waits for it', async (t) => {
    const engine = startOnnxEngine({ path: await writeOnnxModel(t), dataFolder: '.' });
    t.after(() => engine.close());
    assert.deepEqual([engine.health(), engine.problem], ['ok', undefined]);
    const controller = new AbortController();
    const gone = assert.rejects(engine.embed(['a'], 1024, controller.signal), /gone/);
    controller.abort(new Error('gone'));
    await gone;
    assert.equal((await engine.embed(['a'], 1024, never)).length, 1);
    assert.equal(engine.health(), 'ok');
  });

  test('is down once its model cannot be opened, and closing ends the opening', async (t) => {
    const folder = await temporaryFolder(t);
    const broken = startOnnxEngine({ path: folder, dataFolder: folder });
    await assert.rejects(broken.embed(['a'], 1024, never), { code: 'service_unavailable' });
    assert.equal(broken.health(), 'down');
    assert.match((await broken.opened)?.problem ?? '', /is missing$/);
    const engine = startOnnxEngine({ path: await writeOnnxModel(t), dataFolder: '.' });
    await engine.close();
    assert.deepEqual(await engine.opened, {});
    await assert.rejects(engine.embed(['a'], 1024, never), { code: 'service_unavailable' });
  });
});

suite('all-MiniLM-L6-v2 in ONNX form', { skip: skipsWeights }, () => {
  test('gives the vectors and tokens of Python, to 1e-4 with weights of 32 bits', async (t) => {
    const all = await readReferences();
    assert.equal(all.length, 50);
    const references = variationsOf(all, 5);
    const texts = references.map(({ text }) => text);
    const engine = await openOnnxEngine({ path: miniLm('float32'), dataFolder: '.' });
    t.after(() => engine.close());
    assert.deepEqual(
      await engine.countTokens(texts, never),
      references.map(({ tokens }) => tokens),
    );
    const vectors = await engine.embed(texts, 1024, never);
    assert.equal(vectors.length, texts.length);
    for (const [index, { vector }] of references.entries())
      for (const [at, value] of vector.entries())
        assert.ok(Math.abs((vectors[index]?.[at] ?? Number.NaN) - value) < 1e-4, `text ${index}`);
  });

  test('with weights of 8 bits a text has the same bytes alone and beside others, and means the same', async (t) => {
    const references = await readReferences();
    const engine = await openOnnxEngine({ path: miniLm('int8'), dataFolder: '.' });
    t.after(() => engine.close());
    const some = references.filter((_, index) => index % 7 === 0);
    const together = await engine.embed(
      some.map(({ text }) => text),
      1024,
      never,
    );
    for (const [index, { text, vector }] of some.entries()) {
      assert.deepEqual(await engine.embed([text], 1024, never), [together[index]]);
      const cosine = vector.reduce((sum, value, at) => sum + value * (together[index]?.[at] ?? 0), 0);
      assert.ok(cosine > 0.95, `${text}: ${cosine}`);
    }
  });

  test('answers embeddings through a whole server', async (t) => {
    const server = await startServer(t, { env: { NESTOR_EMBEDDINGS_PATH: miniLm('int8') } });
    const input = ['Where is my card?', 'My bank card has not arrived', 'The kea is a parrot'];
    const response = await server.post('/v1/embeddings', { model: 'svc-embed-v1-0.6b', input });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('x-nestor-engine'), 'onnx');
    const { data } = (await response.json()) as { readonly data: readonly { readonly embedding: string }[] };
    const [asked, near, far] = data.map(({ embedding }) => new Int8Array(Buffer.from(embedding, 'base64')));
    const cosine = (a: Int8Array = new Int8Array(), b: Int8Array = new Int8Array()) =>
      a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0) / Math.hypot(...a) / Math.hypot(...b);
    assert.ok(cosine(asked, near) > 0.5 && cosine(asked, far) < 0.2);
  });

  test('moves the hit of a search that fits forward', async (t) => {
    const engine = await openOnnxEngine({ path: miniLm('int8'), dataFolder: '.' });
    t.after(() => engine.close());
    const fitting = 'Cards come within five working days';
    const contents = ['Bread', 'Glaciers', 'Chess', fitting, 'Tides', 'Opera', 'Moss', 'Rust'];
    const hits = contents.map((snippet) => hit(`https://hits.invalid/${snippet}`, { title: '', snippet }));
    const embed: Embed = (texts, signal, account) => engine.embed(texts, 1024, signal, account);
    const ranked = await rerank('When does a new bank card arrive?', hits, embed, {
      signal: never,
      account: 'a',
    });
    const place = ranked.findIndex(({ snippet }) => snippet === fitting);
    assert.ok(place < 3, ranked.map(({ snippet }) => snippet).join());
  });
});
