import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { NormalizedQuestion } from './engine.ts';
import { isGiven, questionKey } from './policy.ts';

const option = (name: string, description = '') => ({ name, description });
const topic: NormalizedQuestion = {
  kind: 'choice',
  question: 'What is it about?',
  options: [option('billing', 'charges'), option('technical'), option('other')],
};
const angry: NormalizedQuestion = {
  kind: 'noul',
  question: 'Angry?',
  options: ['true', 'false'].map((name) => option(name)),
};

suite('thresholds', () => {
  test('a question has one key however its options are ordered, and another where a word differs', () => {
    assert.equal(questionKey(topic), questionKey({ ...topic, options: topic.options.toReversed() }));
    const others = [
      { ...topic, question: 'What is it about' },
      { ...topic, options: topic.options.slice(1) },
      { ...topic, options: [option('billing', 'charge'), ...topic.options.slice(1)] },
      { ...topic, kind: 'score' as const },
    ];
    assert.equal(new Set([topic, ...others].map(questionKey)).size, 5);
  });

  test('an answer at its threshold is given, one below it is not', () => {
    const thresholds = { byKind: { choice: 0.25, noul: 0.5 }, byQuestion: {} };
    assert.equal(isGiven(thresholds, topic, [0.5, 0.25, 0.25]), true);
    assert.equal(isGiven(thresholds, topic, [0.49, 0.26, 0.25]), false);
    assert.equal(isGiven(thresholds, angry, [0.25, 0.75]), true);
    assert.equal(isGiven(thresholds, angry, [0.26, 0.74]), false);
  });

  test('the threshold of a question stands over that of its kind', () => {
    const thresholds = { byKind: { choice: 0 }, byQuestion: { [questionKey(topic)]: 0.9 } };
    assert.equal(isGiven(thresholds, topic, [0.6, 0.2, 0.2]), false);
    assert.equal(isGiven(thresholds, { ...topic, question: 'Which team?' }, [0.6, 0.2, 0.2]), true);
  });

  test('null is never enough, and no threshold is always', () => {
    assert.equal(isGiven({ byKind: { noul: null }, byQuestion: {} }, angry, [1, 0]), false);
    assert.equal(isGiven({ byKind: { noul: null }, byQuestion: {} }, topic, [0.34, 0.33, 0.33]), true);
  });
});
