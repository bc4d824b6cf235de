import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findEntries, type Entry } from './entry.ts';

const entry = (group: Entry['group'], label: string, others: Partial<Entry> = {}): Entry => ({
  id: label,
  group,
  label,
  run: () => {},
  ...others,
});

const entries = [
  entry('Documentation', 'Tokens', { detail: 'Keys', words: 'who revokes a token' }),
  entry('Documentation', 'Revoke a token', { detail: 'Keys' }),
  entry('Pages', 'Keys'),
  entry('Pages', 'Jobs'),
  entry('Actions', 'Use dark colours', { words: 'toggle dark mode theme' }),
];

const labelsOf = (query: string) =>
  findEntries(query, entries).map(([group, own]) => [group, own.map(({ label }) => label)]);

test('every word has to be there, in the label, beside it or among what it is found by', () => {
  assert.deepEqual(labelsOf('dark mode'), [['Actions', ['Use dark colours']]]);
  assert.deepEqual(labelsOf('dark night'), []);
});

test('groups keep their order, and the best of each stands first', () => {
  assert.deepEqual(labelsOf('keys'), [
    ['Pages', ['Keys']],
    ['Documentation', ['Tokens', 'Revoke a token']],
  ]);
  assert.deepEqual(labelsOf('revoke'), [['Documentation', ['Revoke a token', 'Tokens']]]);
});

test('before anything is written everything stands in its order', () => {
  assert.deepEqual(labelsOf(' '), [
    ['Actions', ['Use dark colours']],
    ['Pages', ['Keys', 'Jobs']],
    ['Documentation', ['Tokens', 'Revoke a token']],
  ]);
});

test('what is asked about the words themselves is always offered, and marks on letters do not matter', () => {
  const ask = entry('Ask', 'Ask “anything”');
  assert.deepEqual(
    findEntries('anything else', [ask]).map(([group]) => group),
    ['Ask'],
  );
  assert.equal(findEntries('resume', [entry('Conversations', 'Résumé of May')]).length, 1);
});
