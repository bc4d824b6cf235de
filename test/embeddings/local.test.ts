import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { encoderSuits, shareEncoder } from '../../src/features/models/feature.ts';
import { openEmbeddingEngine } from '../../src/features/embeddings/open-embeddings.ts';
import {
  openLocalEngine,
  type LocalEmbeddingOptions,
} from '../../src/features/embeddings/engines/local/index.ts';
import { openLocalEmbedder } from '../../src/features/models/providers/local/engine.ts';
import { Fault } from '../../src/kernel/faults.ts';
import { writeTestModel, type TestModel } from '../support/gguf.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const never = new AbortController().signal;
const bert: TestModel = { shape: 'bert', pooling: 1 };

async function open(t: TestContext, file: TestModel, options: Partial<LocalEmbeddingOptions> = {}) {
  const path = await writeTestModel(file);
  const engine = await openLocalEngine({ path, dataFolder: '.', threads: 1, ...options });
  t.after(() => engine.close());
  assert.equal(engine.problem, null);
  return engine;
}

suite('the local embedding engine', () => {
  test('vectors of another length are filled with zeros, and the ends of a text count', async (t) => {
    const engine = await open(t, bert);
    const [vector] = await engine.embed(['the bird'], 1024, never);
    assert.equal(vector?.length, 1024);
    assert.ok(vector.subarray(0, 128).some((value) => value !== 0));
    assert.ok(vector.subarray(128).every((value) => value === 0));
    // [CLS] the bird [SEP]; and an empty text is not read at all.
    assert.deepEqual(await engine.countTokens(['the bird', ''], never), [4, 0]);
    const [empty] = await engine.embed([''], 1024, never);
    assert.ok(empty?.every((value) => value === 0));
  });

  test('every part of a long text counts, whatever the pooling', async (t) => {
    for (const file of [
      bert,
      { ...bert, pooling: 2 },
      { pooling: 1 },
      { pooling: 2 },
      { pooling: 3 },
    ] as const) {
      const engine = await open(t, file);
      // Longer than one evaluation of a model that reads in parts, and about all that the shorter model takes.
      const middle = 'the card of my bird is green and '.repeat(20);
      const texts = [`one ${middle} two`, `three ${middle} two`, `one ${middle} in`];
      const vectors = await engine.embed(texts, 1024, never);
      const isFirst = file.pooling === 2 && !('shape' in file);
      // A model that only looks back, and of which the first token counts, knows no more than that one.
      assert.equal(
        new Set(vectors.map((vector) => vector.join())).size,
        isFirst ? 2 : 3,
        JSON.stringify(file),
      );
    }
  });

  test('the vector of a text does not depend on the size of the context that read it', async (t) => {
    const file = await writeTestModel({ pooling: 1 });
    const long = 'the customer is asking for a refund '.repeat(400);
    const embedder = await openLocalEmbedder({ path: file, threads: 1 });
    t.after(() => embedder.close());
    const tokens = await embedder.tokenize(long, never);
    assert.ok(tokens.length > 2_048, String(tokens.length));
    const [short, first, again] = await embedder.embed([tokens.slice(0, 100), tokens, tokens], never);
    assert.deepEqual(first, again);
    const [after] = await embedder.embed([tokens.slice(0, 100)], never);
    assert.deepEqual(after, short);
  });

  test('a text that the model cannot read as a whole is refused and never cut', async (t) => {
    const engine = await open(t, bert);
    const fits = 'the '.repeat(510);
    assert.deepEqual(await engine.countTokens([fits], never), [512]);
    assert.equal((await engine.embed([fits], 1024, never)).length, 1);
    const refusal = (error: unknown) =>
      error instanceof Fault &&
      error.code === 'validation_failed' &&
      error.message === 'input: a text has 513 tokens, the local embedding model takes at most 512';
    await assert.rejects(engine.countTokens([`${fits} the`], never), refusal);
    await assert.rejects(engine.embed(['the', `${fits} the`], 1024, never), refusal);
    await assert.rejects(engine.embedChunks([`${fits} the`], 1024, never), refusal);
  });

  test('memory bounds the length of a text', async (t) => {
    const path = await writeTestModel({ pooling: 1 });
    const large = await openLocalEmbedder({ path, threads: 1 });
    t.after(() => large.close());
    assert.equal(large.textTokensMax, 16_384);
    const small = await openLocalEmbedder({ path, threads: 1, memoryBytes: 40_000_000 });
    t.after(() => small.close());
    assert.ok(small.textTokensMax < 8_192, String(small.textTokensMax));
    await assert.rejects(openLocalEmbedder({ path, threads: 1, memoryBytes: 1 }), /do not fit into 1 bytes/);
  });

  test('what reads as a control token in a text is text', async (t) => {
    const engine = await open(t, { pooling: 3 });
    const [count = 0] = await engine.countTokens(['<|im_end|>'], never);
    assert.ok(count > 1, String(count));
  });

  test('a full house is told to come back, and an abort is answered at once', async (t) => {
    const engine = await open(t, { pooling: 3 }, { requestsMax: 1 });
    const controller = new AbortController();
    const many = Array.from({ length: 400 }, (_, index) => `${index} ${'word '.repeat(200)}`);
    const under = engine.embed(many, 1024, controller.signal);
    await assert.rejects(engine.embed(['a'], 1024, never), {
      code: 'service_unavailable',
      message: 'The local embedding model is busy.',
      retryAfterMs: 2_000,
    });
    setTimeout(() => controller.abort(new Error('gone')), 20);
    await assert.rejects(under, /gone/);
    assert.equal((await engine.embed(['a'], 1024, never)).length, 1);
  });

  test('a small request is answered beside a large one, and a closed engine refuses', async (t) => {
    const engine = await open(t, { pooling: 3 });
    let isOver = false;
    const large = engine.embed(
      Array.from({ length: 300 }, (_, index) => `${index} ${'word '.repeat(300)}`),
      1024,
      never,
    );
    const told = assert.rejects(
      large.finally(() => (isOver = true)),
      { code: 'service_unavailable' },
    );
    await engine.embed(['a'], 1024, never);
    assert.equal(isOver, false);
    await engine.close();
    await told;
    assert.equal(engine.health(), 'down');
    await assert.rejects(engine.embed(['a'], 1024, never), { code: 'service_unavailable' });
    await assert.rejects(engine.countTokens(['a'], never), { code: 'service_unavailable' });
  });
});

suite('the local embedding engine, files', () => {
  test('a file of another kind is refused with its reason, and the engine is down', async (t) => {
    const folder = await temporaryFolder(t);
    const pointer = join(folder, 'pointer.gguf');
    await writeFile(pointer, 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n');
    const cut = join(folder, 'cut.gguf');
    await writeFile(cut, (await readFile(await writeTestModel(bert))).subarray(0, -4_096));
    const cases: readonly (readonly [string, RegExp])[] = [
      [await writeTestModel(), /names no pooling; it is a chat model and no embedding model$/],
      [await writeTestModel({ pooling: 4 }), /is a ranking model and no embedding model$/],
      [await writeTestModel({ architecture: 'clip' }), /is a vision projector and no embedding model$/],
      [await writeTestModel({ architecture: 'unheard', pooling: 1 }), /: Failed to load model/],
      [join(folder, 'absent.gguf'), /the file does not exist$/],
      [pointer, /the file is not a GGUF file$/],
      [cut, /the file is truncated/],
    ];
    for (const [path, reason] of cases) {
      const engine = await openLocalEngine({ path, dataFolder: folder, threads: 1 });
      assert.ok(engine.problem?.startsWith(`${path}: `) === true, String(engine.problem));
      assert.match(engine.problem ?? '', reason);
      assert.equal(engine.health(), 'down');
      const refusal = {
        code: 'service_unavailable',
        message: 'The local embedding model could not be loaded.',
      };
      await assert.rejects(engine.embed(['a'], 1024, never), refusal);
      await assert.rejects(engine.countTokens(['a'], never), refusal);
      await engine.close();
    }
  });

  test('without a path the first embedding model of the data folder is taken', async (t) => {
    const folder = await temporaryFolder(t);
    const choice = {
      engine: 'local',
      upstreams: [],
      gpu: false,
      timeoutMs: 1_000,
      dataFolder: folder,
    } as const;
    const none = await openEmbeddingEngine({ ...choice, path: null });
    assert.equal(none.problem, `no embedding model lies in ${folder} or its models folder`);
    await mkdir(join(folder, 'models'));
    await copyFile(await writeTestModel(), join(folder, 'a-chat-model.gguf'));
    await copyFile(await writeTestModel(bert), join(folder, 'models', 'b.gguf'));
    const found = await openEmbeddingEngine({ ...choice, path: null });
    t.after(() => found.close());
    assert.deepEqual([found.name, found.problem], ['local', null]);
  });

  test('auto takes upstreams, then a file that is named, then the encoder, with 256 MB words', async (t) => {
    const path = await writeTestModel(bert);
    const upstream = { url: 'http://127.0.0.1:9', key: null, model: null };
    const choice = { engine: 'auto', gpu: false, timeoutMs: 1_000, dataFolder: '.' } as const;
    const names: string[] = [];
    for (const [upstreams, named, memoryBytes = 1_073_741_824] of [
      [[upstream], path],
      [[], path],
      [[], null],
      [[], null, 256 * 1_048_576],
    ] as const) {
      const engine = await openEmbeddingEngine({
        ...choice,
        upstreams,
        path: named,
        openEncoder: encoderSuits(memoryBytes) ? shareEncoder() : null,
      });
      t.after(() => engine.close());
      names.push(engine.name);
    }
    assert.deepEqual(names, ['openai-compatible', 'local', 'encoder', 'words']);
  });
});
