import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseWordQuery, toIndexWords, wordsOf } from './words.ts';

test('words are lower case, without accents, and of scripts without spaces the pairs', () => {
  assert.equal(toIndexWords('Größe des SCHIFFS: 12 m'), 'große des schiffs 12 m');
  assert.equal(toIndexWords('東京都 tower'), '東京 京都 tower');
  assert.deepEqual(wordsOf(`${'k'.repeat(65)} short`), ['short']);
});

test('what was written as one word is asked for in a row', () => {
  const compounds = (text: string) => parseWordQuery(text).compounds;
  assert.deepEqual(compounds('the search_domain_filter of 1.2 and a__b'), [
    ['search', 'domain', 'filter'],
    ['1', '2'],
  ]);
  assert.deepEqual(compounds('(foo-bar) äx.y'), [
    ['foo', 'bar'],
    ['ax', 'y'],
  ]);
});

test('words in quotation marks are phrases, and the mark of inches begins none', () => {
  const { phrases, words } = parseWordQuery('what is a “rate limit” or "retry after');
  assert.deepEqual(
    [phrases, words],
    [
      [
        ['rate', 'limit'],
        ['retry', 'after'],
      ],
      [],
    ],
  );
  assert.deepEqual(parseWordQuery('is the 27" monitor or the 32" monitor brighter').phrases, []);
});
