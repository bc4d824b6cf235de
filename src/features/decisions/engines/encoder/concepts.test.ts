import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concepts } from './concept-words.ts';
import { conceptOf, conceptOfLevels, gradeOf } from './concepts.ts';

test('a question names a concept, wholly or beside something else', () => {
  for (const [question, name, sign, share] of [
    ['Is this urgent?', 'urgency', 1, 1],
    ['Does this message require immediate attention?', 'urgency', 1, 1],
    ['Is this comment a personal attack?', 'toxicity', 1, 1],
    ['Are there any signs of fraud?', 'phishing', 1, 1],
    ['Is the customer calm?', 'anger', -1, 1],
    ['Is the customer angry with the courier?', 'anger', 1, 0.5],
  ] as const)
    assert.deepEqual(conceptOf(question), { name, sign, share }, question);
});

test('what is asked about a topic, or of a fact, names none', () => {
  for (const question of [
    'Is this about spam?',
    'Does the patient have a fever?',
    'Does the message contain personal data?',
    'Was the parcel delivered?',
    '',
  ])
    assert.equal(conceptOf(question), null, question);
});

test('levels rise with a concept or fall', () => {
  const side = (question: string, ...levels: string[]) => conceptOfLevels(question, levels);
  assert.deepEqual(side('How urgent is it?', 'low', 'medium', 'high'), {
    name: 'urgency',
    sign: 1,
    share: 1,
  });
  assert.equal(side('How urgent is it?', 'critical', 'high', 'low')?.sign, -1);
  assert.equal(side('How urgent is it?', 'within the hour', 'next week')?.sign, 1);
  assert.equal(side('', 'very dissatisfied', 'neutral', 'very satisfied')?.sign, 1);
  assert.equal(side('', 'very satisfied', 'neutral', 'very dissatisfied')?.sign, -1);
  assert.equal(side('Toxicity', 'toxic', 'not toxic')?.sign, -1);
  assert.equal(side('How angry?', 'calm', 'furious')?.sign, 1);
  assert.equal(side('How many pages?', 'one', 'two', 'more'), null);
});

test('each concept has a direction of the length that vectors have', () => {
  const vector = new Float32Array(384).fill(0.05);
  for (const { name } of concepts) {
    const [grade, other] = [gradeOf(name, vector), gradeOf(name, vector.with(0, 1))];
    assert.ok(Number.isFinite(grade) && grade !== other && Math.abs(grade) < 20, name);
  }
});
