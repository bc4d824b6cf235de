import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { featureNames } from '../src/features/decisions/words/features.ts';
import { model as shipped } from '../src/features/decisions/words/model.ts';
import { loadWordVectors } from '../src/kernel/kit/word-vectors.ts';
import { findCentres } from './centres.ts';
import { withLabels, type DataSet, type Labelled } from './data.ts';
import { modelPath, toModelFile } from './train-words.ts';
import { trainModel } from './train-model.ts';

const rows: readonly Labelled[] = [
  ['where is my parcel', 'delivery'],
  ['the package has not arrived', 'delivery'],
  ['when will you ship it', 'delivery'],
  ['I want my money back', 'refund'],
  ['please refund the order', 'refund'],
  ['return the payment to me', 'refund'],
  ['I forgot my password', 'login'],
  ['my account is locked', 'login'],
  ['I cannot sign in', 'login'],
];
const set: DataSet = {
  name: 'small',
  labels: ['delivery', 'login', 'refund'],
  train: rows,
  test: rows,
  outside: [],
};
const plan = { seed: 3, metricRounds: 4, noulExamples: 40, choiceExamples: 20, usualMessages: 70 };

test('training twice gives the same bytes, another seed gives others', async () => {
  const vectors = loadWordVectors();
  const first = await toModelFile(trainModel([set], vectors, plan));
  assert.deepEqual(await toModelFile(trainModel([set], vectors, plan)), first);
  assert.notDeepEqual(await toModelFile(trainModel([set], vectors, { ...plan, seed: 4 })), first);
});

test('the model that ships is the one that the document names', () => {
  const digest = createHash('sha256').update(readFileSync(modelPath)).digest('hex');
  const document = readFileSync(new URL('../docs/words.md', import.meta.url), 'utf8');
  assert.ok(document.includes(digest), digest);
  assert.equal(shipped.noul.weights.length, featureNames.length);
});

test('a set without some labels has none of their rows', () => {
  const part = withLabels(set, (i) => i !== 0);
  assert.deepEqual(part.labels, ['login', 'refund']);
  assert.equal(part.train.length, 6);
  assert.ok(part.test.every(([, label]) => label !== 'delivery'));
});

test('centres lie where the vectors gather', () => {
  const angles = [0.1, 0, -0.1, 1.5, 1.6, 1.7];
  const centres = findCentres(
    angles.map((angle) => Float64Array.of(Math.cos(angle), Math.sin(angle))),
    2,
  );
  const found = [0, 1].map((c) => Math.atan2(centres[2 * c + 1] ?? 0, centres[2 * c] ?? 0));
  assert.ok(Math.abs((found[0] ?? 9) - 0) < 0.01 && Math.abs((found[1] ?? 9) - 1.6) < 0.01, String(found));
});
