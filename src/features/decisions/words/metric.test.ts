import assert from 'node:assert/strict';
import { test } from 'node:test';

import { loadWordVectors } from '../../../kernel/kit/word-vectors.ts';
import { tokenize } from '../../../kernel/kit/words.ts';
import { createVocabulary } from './vocabulary.ts';
import { withPolarity } from './analyzed-state.ts';
import { placeWord, plainMetric } from './metric.ts';
import { model } from './model.ts';
import { createUsual } from './vocabulary.ts';

const vectors = loadWordVectors();

test('a plain metric moves no word and changes no weight', () => {
  const [a, b] = [vectors.rowOf('refund'), vectors.rowOf('money')];
  const placed = [a, b].map((row) => placeWord(vectors, row, false, plainMetric(100, 16)));
  const cosine = placed[0]?.unit.reduce((sum, x, i) => sum + x * (placed[1]?.unit[i] ?? 0), 0) ?? 0;
  assert.ok(Math.abs(cosine - vectors.similarity(a, b)) < 1e-6);
  assert.deepEqual([placed[0]?.state, placed[0]?.hypothesis], [0, 0]);
});

test('what is known of a word does not depend on the words before', () => {
  const { placeOf } = createVocabulary(vectors, model);
  const first = placeOf(500, false);
  for (let row = 0; row < 5000; row++) placeOf(row, false);
  assert.deepEqual(placeOf(500, false), first);
});

test('what lies near usual messages is told apart', () => {
  const usual = createUsual([1, 0, 0, 1], 2);
  assert.deepEqual(usual(Float64Array.of(1, 0)), { near: 0.5, mean: 0.5 });
  assert.deepEqual(usual(Float64Array.of(-1, 0)), { near: -0.5, mean: -0.5 });
  assert.deepEqual(createUsual([], 2)(Float64Array.of(1, 0)), { near: 0, mean: 0 });
});

test('turns of phrase and short forms add what they mean', () => {
  const said = (text: string): string[] => withPolarity(tokenize(text)).map(({ token }) => token);
  assert.ok(said('how far is it').includes('distance'));
  assert.ok(said('my PTO').includes('vacation'));
  assert.deepEqual(said('constructor toString'), ['constructor', 'tostring']);
});
