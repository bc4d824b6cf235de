import assert from 'node:assert/strict';
import { test } from 'node:test';
import { questionOf, rememberQuestion } from './questions.ts';

function createStore(first?: string) {
  const kept = new Map(first === undefined ? [] : [['nestor.jobs', first]]);
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
  };
}

test('the question of a job is remembered, once for each job, the last two hundred', () => {
  const store = createStore();
  for (let at = 0; at < 201; at++) rememberQuestion(store, `job-${at}`, `question ${at}`);
  rememberQuestion(store, 'job-200', 'x'.repeat(400));
  assert.equal(questionOf(store, 'job-0'), null);
  assert.equal(questionOf(store, 'job-1'), 'question 1');
  assert.equal(questionOf(store, 'job-200'), `${'x'.repeat(300)}…`);
});

test('what is no list of questions is none, and is written over', () => {
  for (const text of ['{', '{}', '[1, ["a"]]', 'null']) {
    const store = createStore(text);
    assert.equal(questionOf(store, 'a'), null, text);
    rememberQuestion(store, 'a', 'why?');
    assert.equal(questionOf(store, 'a'), 'why?');
  }
});
