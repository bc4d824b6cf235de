import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitSentences } from './sentences.ts';

/** Each of two sentences, in languages that write dates and abbreviations with dots. */
const pairs: readonly (readonly [string, string])[] = [
  ['Er kam am 18. September nach Bonn.', 'Dann ging er.'],
  ['Der 3. Weltkrieg blieb aus.', 'Alle waren froh.'],
  ['Siehe Abs. 3 S. 2 bzw. Art. 5 des Gesetzes.', 'Es gilt z. B. heute.'],
  ['Am 1. 10. 2026 begann es.', 'Es gab 18.'],
  ['El Sr. García vive en la Av. Mayor.', 'Es el núm. 7.'],
  ['Dne 3. 9. 2020 začala škola.', 'Pak přišla tzv. zima.'],
  ['Родился в 1799 г. в Москве.', 'Писал стихи.'],
  ['Den 18. september kom han, dvs. for sent.', 'Så gik han.'],
  ['J. R. R. Tolkien wrote it with Dr. Smith et al. in the U.S. at home.', 'It sold.'],
  ['Use `a.b. C` of v1.2 here.', 'Then stop.'],
];

test('abbreviations and dates of many languages do not end a sentence', () => {
  for (const pair of pairs) assert.deepEqual(splitSentences(pair.join(' ')), pair);
});

test('a number at the end of a sentence ends it', () => {
  assert.deepEqual(splitSentences('It was built from 1887 to 1889. More came in 26. The end.'), [
    'It was built from 1887 to 1889.',
    'More came in 26.',
    'The end.',
  ]);
});
