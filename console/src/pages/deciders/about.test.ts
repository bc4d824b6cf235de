import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutAnswering, aboutPolicy, formatBeforeAfter } from './about.ts';
import { aboutQuestion } from './question.ts';
import type { Definition } from './wire.ts';

const plain: Definition = {
  engine: 'encoder',
  passes: 1,
  prior: false,
  negation: false,
  calibration: null,
  cascade: [],
  abstain: {},
  max_error: null,
  guarantees: [],
};

test('what answers is told with its steps, and a cascade with what goes on', () => {
  assert.equal(aboutAnswering(plain), 'encoder');
  assert.equal(
    aboutAnswering({ ...plain, passes: 'n', prior: true, negation: true, calibration: {} }),
    'encoder, all orders, prior, negation, calibrated',
  );
  const cascade = [
    { decider: 'quick', confidence: { noul: 0.9, choice: 0.9, score: 0.9 } },
    { decider: 'middle', confidence: { noul: 0.5, choice: 0.7 } },
    { decider: 'large', confidence: {} },
  ];
  assert.equal(
    aboutAnswering({ ...plain, engine: null, cascade }),
    'quick, then middle below 0.9, then large below 0.5 (noul), 0.7 (choice)',
  );
});

test('a policy is told, and none is nothing', () => {
  assert.equal(aboutPolicy(plain), '');
  assert.equal(
    aboutPolicy({ ...plain, abstain: { choice: 0.5 }, max_error: 0.05 }),
    'abstains below 0.5 (choice), at most 5 % wrong',
  );
});

test('figures that are not there are dashes', () => {
  assert.equal(formatBeforeAfter(0.626, 0.8474), '0.626 → 0.847');
  assert.equal(formatBeforeAfter(undefined, 1), '– → 1.000');
});

test('a question is told in a line', () => {
  const criteria = Object.fromEntries([...'abcdefgh'].map((name) => [name, null]));
  assert.equal(
    aboutQuestion({ type: 'choice', instructions: 'Which?', criteria }),
    'choice · Which? · a, b, c, d, e, f and 2 more',
  );
  assert.equal(aboutQuestion({ type: 'score', criteria: ['low', 'high'] }), 'score · 2 levels');
  assert.equal(aboutQuestion({ type: 'noul' }), 'noul');
});
