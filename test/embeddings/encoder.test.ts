import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { openEncoderEngine } from '../../src/features/embeddings/engines/encoder/index.ts';
import { inWindows, windowsOf } from '../../src/features/embeddings/engines/encoder/windows.ts';
import { toEmbedder } from '../../src/features/index/to-document.ts';
import { encoderPath, shareEncoder } from '../../src/features/models/encoder.ts';
import { createLikeness } from '../../src/features/models/likeness.ts';
import type { Row } from '../../src/features/models/feature.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { hangMs } from '../support/until.ts';

const never = new AbortController().signal;

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

suite('the embedding engine encoder', () => {
  test('knows what is meant without a common word, fills up with zeros, and reads long texts', async (t) => {
    const engine = await openEncoderEngine(shareEncoder());
    t.after(() => engine.close());
    assert.equal(engine.problem, null);
    assert.match(engine.vectors ?? '', /^encoder:[0-9a-f]{16}\.2$/);
    const long = 'A refund was not paid for this order. '.repeat(60);
    const texts = ['When do I get my money back?', long, 'The bird sings in a tree.'];
    const [tokens = 0] = await engine.countTokens([long], never);
    assert.ok(tokens > 512);
    const [question, refund, bird] = await engine.embed(texts, 1024, never);
    assert.ok(question && refund && bird);
    assert.ok(cosine(question, refund) > cosine(question, bird));
    assert.ok(question.subarray(0, 384).some((value) => value !== 0));
    assert.ok(question.subarray(384).every((value) => value === 0));
  });

  test('embeds a query, and compares for an answer, before passages of the index that were there first', async (t) => {
    const open = shareEncoder();
    const engine = await openEncoderEngine(open);
    t.after(() => engine.close());
    const likeness = createLikeness(open, hangMs);
    t.after(() => likeness.close());
    const done: string[] = [];
    const note = (name: string) => () => void done.push(name);
    const passages = Array.from({ length: 24 }, (_, at) => ({
      title: `Order ${at}`,
      heading: '',
      text: `A refund was not paid. ${'It is late. '.repeat(4 + at)}`,
    }));
    const isUnderWay = toEmbedder(engine).embedPassages(passages.slice(0, 1), never);
    const index = toEmbedder(engine).embedPassages(passages, never).then(note('index'));
    await isUnderWay;
    await engine.embed(['When do I get my money back?'], 1024, never).then(note('query'));
    const texts = passages.slice(0, 8).map(({ title }) => `${title} was paid back.`);
    assert.equal((await likeness.compare('Is it paid?', texts, never, 'a'))?.length, 8);
    note('answer')();
    await index;
    assert.deepEqual(done, ['query', 'answer', 'index']);
  });

  test('says the same in every thread, and one account may have them all', async (t) => {
    const texts = Array.from({ length: 24 }, (_, at) => ({ text: `Order ${at} is late. ${'Where is it? '.repeat(at % 5)}`, pair: null })); // prettier-ignore
    const read = async (threads: number) => {
      const encoder = await shareEncoder(encoderPath, threads)();
      t.after(() => encoder.close());
      const rows = await encoder.tokenize(texts, never);
      return Promise.all(rows.map(async (row) => (await encoder.run([row], never))[0]));
    };
    assert.deepEqual(await read(3), await read(1));
  });

  test('shares the weights with all who have them open, and is down where there are none', async (t) => {
    const open = shareEncoder();
    const [engine, encoder] = [await openEncoderEngine(open), await open()];
    assert.equal(encoder.isOpen(), false);
    await engine.embed(['a'], 1024, never);
    await engine.close();
    const rows = await encoder.tokenize([{ text: 'a', pair: null }], never);
    assert.equal((await encoder.run(rows, never)).length, 1);
    assert.equal(encoder.isOpen(), true);
    await encoder.close();
    const none = await openEncoderEngine(shareEncoder(await temporaryFolder(t)));
    assert.equal(none.health(), 'down');
    assert.match(none.problem ?? '', /^the encoder that ships with Nestor: /);
  });
});

suite('windows of a text', () => {
  const row = (count: number): Row => ({
    ids: [101, ...Array.from({ length: count - 2 }, (_, index) => 1_000 + index), 102],
    types: Array.from({ length: count }, () => 0),
  });

  test('hold each token once, in order, open and end as the text does, and are about equally long', () => {
    for (let count = 2; count <= 200; count++) {
      const windows = windowsOf(row(count), 16);
      assert.equal(windows.length, Math.max(1, Math.ceil((count - 2) / 14)));
      assert.deepEqual(windows.flatMap(({ ids }) => ids.slice(1, -1)), row(count).ids.slice(1, -1)); // prettier-ignore
      for (const { ids, types } of windows) {
        assert.deepEqual([ids[0], ids.at(-1), types.length], [101, 102, ids.length]);
        assert.ok(ids.length <= 16);
      }
      const lengths = windows.map(({ ids }) => ids.length);
      assert.ok(Math.max(...lengths) - Math.min(...lengths) <= 1);
    }
  });

  test('count in the mean by their tokens', async () => {
    const embedder = inWindows({
      textTokensMax: 4,
      tokenize: () => Promise.reject(new Error('not asked')),
      countOf: ({ ids }) => ids.length,
      embed: (rows) => Promise.resolve(rows.map(({ ids }) => Float32Array.of(ids[1] ?? 0, ids.length))),
      close: () => Promise.resolve(),
    });
    // 1000 and 1001, and 1002 alone.
    const [short, long] = await embedder.embed([row(3), row(5)], never, 'account');
    assert.deepEqual(short, Float32Array.of(1_000, 3));
    const weighted = (a: number, b: number) => (a * 4 + b * 3) / 7;
    const [[first, second]] = [windowsOf(row(5), 4)];
    assert.deepEqual([first?.ids.length, second?.ids.length], [4, 3]);
    assert.deepEqual(long, Float32Array.of(weighted(1_000, 1_002), weighted(4, 3)));
  });
});
