import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toEntry } from './topics.ts';

test('a meaning has the topics that its pointers name, and a gloss that does not give them away', () => {
  const line =
    '00006484 03 n 01 cell 0 003 @ 00004258 n 0000 ;c 06047178 n 0000 ~ 01316379 n 0000 | (biology) the basic unit (of life)  ';
  assert.deepEqual(toEntry(line, 'n'), {
    key: 'n00006484',
    name: 'cell',
    gloss: 'the basic unit (of life)',
    topics: ['n06047178'],
    kinds: ['n00004258'],
  });
});

test('names are counted in hexadecimal and a name that looks like a pointer is none', () => {
  const names = Array.from({ length: 10 }, (_, index) => `;c ${index}`).join(' ');
  const line = `00000001 00 v 0a ${names} 001 ;c 00000002 n 0000 01 + 02 00 | move; "they moved"`;
  assert.deepEqual(toEntry(line, 'v').topics, ['n00000002']);
});
