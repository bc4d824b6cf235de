import assert from 'node:assert/strict';
import { after, suite, test, type TestContext } from 'node:test';

import type { EmbeddingEngine, EmbeddingSize } from '../../src/features/embeddings/embedding.ts';
import { openWordsEngine } from '../../src/features/embeddings/engines/words/index.ts';
import { openEncoderEngine } from '../../src/features/embeddings/engines/encoder/index.ts';
import { openLocalEngine } from '../../src/features/embeddings/engines/local/index.ts';
import { openOnnxEngine } from '../../src/features/embeddings/engines/onnx/index.ts';
import { openEmbeddingEngine } from '../../src/features/embeddings/open-embeddings.ts';
import { writeTestModel, type TestModel } from '../support/gguf.ts';
import { holdEncoder } from '../support/held-encoder.ts';
import { writeOnnxModel } from '../support/onnx.ts';
import { startEmbeddingUpstream } from '../support/upstream-embeddings.ts';

const { signal } = new AbortController();
const sizes: readonly EmbeddingSize[] = [1024, 2560];
const texts = [
  'Where is my card?',
  '',
  '雪が降る',
  '\u{1F600}\0\ud800',
  'a'.repeat(3_000),
  'Where is my card?',
];

type Closing = Pick<TestContext, 'after'>;

function conformance(name: string, open: (t: Closing) => Promise<EmbeddingEngine>): void {
  suite(`every embedding engine: ${name}`, () => {
    const closers: (() => unknown)[] = [];
    let opened: Promise<EmbeddingEngine> | null = null;
    // Opening a model takes seconds; the tests share it.
    const share = () => (opened ??= open({ after: (close) => void closers.push(close as () => unknown) }));
    after(async () => {
      for (const close of closers.toReversed()) await close();
    });

    test('a text has one finite vector, whatever else is in the call', async () => {
      const engine = await share();
      for (const size of sizes) {
        const together = await engine.embed(texts, size, signal);
        assert.equal(together.length, texts.length);
        for (const [index, text] of texts.entries()) {
          const [alone] = await engine.embed([text], size, signal);
          assert.equal(alone?.length, size);
          assert.ok(alone.every(Number.isFinite));
          assert.deepEqual(alone, together[index]);
        }
      }
    });

    test('chunks have one vector each, in order, and a document of one chunk is that chunk', async () => {
      const engine = await share();
      const chunks = ['The kea is a parrot.', 'It is green.', 'It lives in the mountains.'];
      const vectors = await engine.embedChunks(chunks, 1024, signal);
      assert.equal(vectors.length, 3);
      assert.equal(new Set(vectors.map((vector) => vector.join())).size, 3);
      const [alone] = await engine.embedChunks(['It is green.'], 1024, signal);
      assert.deepEqual([alone], await engine.embed(['It is green.'], 1024, signal));
      assert.deepEqual(await engine.embedChunks([], 1024, signal), []);
    });

    test('tokens are counted per text', async () => {
      const engine = await share();
      const counts = await engine.countTokens(['', 'one', 'one two three'], signal);
      assert.equal(counts.length, 3);
      assert.equal(counts[0], 0);
      assert.ok((counts[2] ?? 0) > (counts[1] ?? 0));
    });

    test('an abort ends the call with its reason', async () => {
      const engine = await share();
      const reason = new Error('gone');
      const many = Array.from({ length: 500 }, (_, index) => `text ${index} ${'word '.repeat(200)}`);
      const controller = new AbortController();
      const call = engine.embed(many, 1024, controller.signal);
      controller.abort(reason);
      await assert.rejects(call, reason);
    });
  });
}

conformance('words', async (t) => {
  const engine = await openWordsEngine();
  t.after(() => engine.close());
  return engine;
});
conformance('openai-compatible', async (t) => {
  const upstream = await startEmbeddingUpstream(t);
  const upstreams = [{ url: upstream.url, key: null, model: 'any' }];
  const engine = await openEmbeddingEngine({
    engine: 'auto',
    upstreams,
    path: null,
    gpu: false,
    dataFolder: '.',
    timeoutMs: 20_000,
  });
  t.after(() => engine.close());
  assert.equal(engine.name, 'openai-compatible');
  return engine;
});

const openEncoder = holdEncoder();
conformance('encoder', async (t) => {
  const engine = await openEncoderEngine(openEncoder);
  t.after(() => engine.close());
  assert.equal(engine.problem, null);
  return engine;
});

conformance('onnx', async (t) => {
  const engine = await openOnnxEngine({ path: await writeOnnxModel(t), dataFolder: '.' });
  t.after(() => engine.close());
  assert.equal(engine.problem, null);
  return engine;
});

const files: readonly TestModel[] = [
  { shape: 'bert', pooling: 1, context: 4_096 },
  { pooling: 3 },
  { pooling: 1, tokenizer: 'spm' },
];
for (const file of files) {
  conformance(`local, ${JSON.stringify(file)}`, async (t) => {
    const path = await writeTestModel(file);
    // One thread: two of them wait for each other whenever another test wants a core.
    const engine = await openLocalEngine({ path, dataFolder: '.', threads: 1 });
    t.after(() => engine.close());
    assert.equal(engine.problem, null);
    return engine;
  });
}
