import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeFile, describeState, formatBytes, percentOf, type KnownModel } from './known-model.ts';

const model: KnownModel = {
  name: 'minilm',
  about: 'an encoder',
  source: 'lab/minilm@abc',
  size_bytes: 2_000_000,
  licence: { id: 'MIT', url: 'https://opensource.org/license/mit', conditions: null },
  engine: 'onnx, cosine',
  state: 'pulling',
  progress: { done: 500_000, total: null },
  error: null,
};

test('a pull tells how far it is, by the size that is known where the Hub tells none', () => {
  assert.equal(describeState(model), 'is being pulled: 500.0 kB, 25 %');
  assert.equal(percentOf({ ...model, progress: { done: 500_000, total: 1_000_000 } }), 50);
  assert.equal(percentOf({ ...model, progress: { done: 3_000_000, total: null } }), 100);
  assert.equal(describeState({ ...model, size_bytes: 0 }), 'is being pulled: 500.0 kB');
});

test('what is there, what is not and what failed is told', () => {
  const still = { ...model, progress: null };
  assert.equal(percentOf(still), null);
  assert.equal(describeState({ ...still, state: 'here' }), 'in the data folder');
  assert.equal(describeState({ ...still, state: 'absent' }), 'not pulled');
  assert.equal(describeState({ ...still, state: 'failed', error: 'no network' }), 'failed: no network');
});

test('a file tells what it does, or why it cannot', () => {
  const file = {
    name: 'enc',
    form: 'onnx',
    does: ['embeds', 'decides'],
    decides_with: 'cosine',
    size_bytes: 23_000_000,
    licence: null,
    used_by: [],
    problem: null,
  } as const;
  assert.equal(describeFile(file), 'embeds, decides (cosine)');
  assert.equal(describeFile({ ...file, does: [], problem: 'it is broken' }), 'it is broken');
  assert.deepEqual([0, 999, 23_000_000].map(formatBytes), ['0 B', '999 B', '23.0 MB']);
});
