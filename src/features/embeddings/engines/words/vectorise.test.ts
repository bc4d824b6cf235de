import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { tokenize } from '../../../../kernel/kit/words.ts';
import { loadWordVectors } from '../../../../kernel/kit/word-vectors.ts';
import { layOut, turnLength, writeParts } from './layout.ts';
import { commonDirections, createLexicon } from './lexicon.ts';
import { createVectorise } from './vectorise.ts';

const vectors = loadWordVectors();

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

suite('vectors of the engine words', () => {
  test('a text has the words that tokenize finds, counted', () => {
    const lexicon = createLexicon(vectors);
    const text =
      "Don't  send it:\tsend\u00a0the card\u3000now!\r\nCard-holders can't, CARD 1,000.50 \u{1F600} 雪が降る\ud800 " +
      `${'long'.repeat(20)} ${'long'.repeat(20)} x\0y `;
    for (let round = 0; round < 2; round++) {
      const expected = tokenize(text).map((word) => vectors.rowOf(word));
      const found = Array.from({ length: lexicon.split(text) }, (_, place) => lexicon.wordAt(place));
      const total = found.reduce((sum, word) => sum + lexicon.countOf(word), 0);
      assert.equal(total, expected.length);
      for (const row of new Set(expected.filter((one) => one >= 0))) {
        const word = found.find((one) => lexicon.rowOf(one) === row) ?? -1;
        assert.equal(
          lexicon.countOf(word),
          expected.filter((one) => one === row).length,
          vectors.wordAt(row),
        );
      }
    }
  });

  test('a vector does not depend on what was vectorised before, nor on a memory that started anew', () => {
    const vectorise = createVectorise(vectors);
    const text = 'Where is my card? Where is the zzqx card?';
    const first = vectorise(text, 1024);
    const many = Array.from({ length: 60_000 }, (_, index) => `w${index}`).join(' ');
    vectorise(many, 1024);
    assert.deepEqual(vectorise(text, 1024), first);
    assert.deepEqual(createVectorise(vectors)(text, 1024), first);
  });

  test('every cut and its bits put a message nearer to one of its kind than to another', () => {
    const vectorise = createVectorise(vectors);
    const [ask, same, other] = [
      'Where is my new card?',
      'The card that you sent has not arrived',
      'What is the weather like in Paris',
    ].map((text) => vectorise(text, 2560));
    assert.ok(ask && same && other);
    for (const dimensions of [128, 512, 1024, 2560]) {
      const cut = (vector: Float32Array) => vector.subarray(0, dimensions);
      const bits = (vector: Float32Array) => cut(vector).map((value) => (value > 0 ? 1 : -1));
      assert.ok(cosine(cut(ask), cut(same)) > cosine(cut(ask), cut(other)), String(dimensions));
      assert.ok(cosine(bits(ask), bits(same)) > cosine(bits(ask), bits(other)), `${dimensions} bits`);
    }
  });

  test('a text without words is zeros, and one of unknown words is not', () => {
    const vectorise = createVectorise(vectors);
    assert.ok(vectorise(' \n?! ', 1024).every((value) => value === 0));
    const [one, misspelt, other] = ['zzqxwv', 'zzqxwvk', 'jjfmlp'].map((text) => vectorise(text, 1024));
    assert.ok(one && misspelt && other);
    assert.ok(cosine(one, misspelt) > cosine(one, other));
  });

  test('turning the meaning changes no product of two, and every place is used once', () => {
    for (const size of [1024, 2560]) {
      const layout = layOut(100, size);
      let end = 0;
      for (const { at, length } of layout.stretches) {
        assert.equal(at, end);
        end += length;
      }
      assert.equal(end, size);
      const words = new Float64Array(layout.places);
      const made = (seed: number) =>
        Float64Array.from({ length: turnLength }, (_, i) => (i < 100 ? Math.sin(i * seed) : 0));
      const written = [made(1), made(1.3)].map((meaning) => {
        const into = new Float32Array(size);
        writeParts(into, layout, meaning, words);
        return into;
      });
      const [a, b] = written;
      assert.ok(a && b);
      const product = (x: ArrayLike<number>, y: ArrayLike<number>) =>
        Array.from(x).reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
      const expected = layout.energy * product(made(1), made(1.3));
      assert.ok(Math.abs(product(a, b) - expected) < 1e-3 * Math.abs(expected));
    }
  });

  test('the directions that are taken out have length one and stand at right angles', () => {
    const [first, second] = commonDirections(vectors);
    assert.ok(first && second);
    const product = (x: Float64Array, y: Float64Array) =>
      x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
    assert.ok(Math.abs(product(first, first) - 1) < 1e-9);
    assert.ok(Math.abs(product(second, second) - 1) < 1e-9);
    assert.ok(Math.abs(product(first, second)) < 1e-9);
  });
});
