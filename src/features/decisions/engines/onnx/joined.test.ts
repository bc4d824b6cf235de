import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joined } from './joined.ts';
import { openRelevance } from './relevance.ts';

const even = (answer: readonly number[]) => ({ answer, relevance: 1 });
const isNear = (found: readonly number[], expected: readonly number[]) => {
  assert.equal(found.length, expected.length);
  for (const [index, p] of expected.entries())
    assert.ok(Math.abs((found[index] ?? 0) - p) < 1e-9, `${found.join(' ')} is not ${expected.join(' ')}`);
};

test('one window answers as it does', () => {
  assert.deepEqual(joined('choice', [even([0.3, 0.7])]), [0.3, 0.7]);
});

test('a window that tells nothing takes no part, and neither does a statement that does not hold in it', () => {
  isNear(
    joined('choice', [even([0.25, 0.25, 0.25, 0.25]), even([0.7, 0.1, 0.1, 0.1])]),
    [0.7, 0.1, 0.1, 0.1],
  );
  isNear(joined('noul', [even([0, 1]), even([0.9, 0.1]), even([0, 1])]), [0.9, 0.1]);
});

test('windows that say alike are not outdone by one that says something else more surely', () => {
  const [first = 0, second = 0] = joined('choice', [
    ...Array.from({ length: 5 }, () => even([0.8, 0.2])),
    even([0.05, 0.95]),
  ]);
  assert.ok(first > second, `${first} ${second}`);
});

test('a statement is not held for likelier because there are more windows', () => {
  const windows = Array.from({ length: 100 }, (_, index) => 0.2 + 0.002 * index);
  const [yes = 1] = joined(
    'noul',
    windows.map((p) => even([p, 1 - p])),
  );
  assert.ok(yes > 0.3 && yes < 0.35, String(yes));
});

test('the window that speaks of the question decides, however sure the others are', () => {
  const [first = 0] = joined('choice', [
    { answer: [0.8, 0.2], relevance: 1 },
    { answer: [0.01, 0.99], relevance: 0.01 },
  ]);
  assert.ok(first > 0.75, String(first));
});

test('nothing is told by windows that are all even', () => {
  isNear(joined('score', [even([0.5, 0.5]), even([0.5, 0.5])]), [0.5, 0.5]);
  isNear(joined('noul', [even([0, 1]), even([0, 1])]), [0, 1]);
});

test('of the words that a question shares with windows the rare ones choose, and the order stays', () => {
  const windows = [
    'The cat is in the house.',
    'The dog is in the yard.',
    'A refund is what I want.',
    'The end is here.',
  ];
  const relevant = openRelevance(windows);
  const texts = ['What is in the message?', 'The refunds'];
  assert.deepEqual(
    relevant(texts, 2).map(({ text }) => text),
    ['The cat is in the house.', 'A refund is what I want.'],
  );
  const all = relevant(texts, 4);
  assert.deepEqual(
    all.map(({ text }) => text),
    windows,
  );
  const [, , refund = 0] = all.map(({ relevance }) => relevance);
  assert.equal(refund, Math.max(...all.map(({ relevance }) => relevance)));
});

test('windows that share nothing are read from the first on, and a whole state is all there is', () => {
  assert.deepEqual(
    openRelevance(['one', 'two', 'three'])(['four'], 2),
    ['one', 'two'].map((text) => ({ text, relevance: 1 })),
  );
  assert.deepEqual(openRelevance(['one'])(['four'], 4), [{ text: 'one', relevance: 1 }]);
});
