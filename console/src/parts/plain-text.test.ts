import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPlainText } from './plain-text.ts';

test('a passage of Markdown is read without its marks', () => {
  const passage = [
    '## Keys **and** tokens',
    '',
    'Send `POST /x` as [the page](keys.md#a) says: 2 * 3 * 4, a_b_c and #4.',
    '```sh',
    'curl x # not a heading',
    '```',
    '<!-- run -->',
    '| Key | Meaning |',
    '| --- | :---: |',
    '| `a` | one |',
  ];
  assert.equal(
    toPlainText(passage.join('\n')),
    [
      'Keys and tokens',
      '',
      'Send POST /x as the page says: 2 * 3 * 4, a_b_c and #4.',
      'curl x # not a heading',
      'Key · Meaning',
      'a · one',
    ].join('\n'),
  );
});

test('a passage that is no Markdown stays as it is', () => {
  for (const text of ['', 'Where is my parcel? #1182 - it costs 5 | 6 euros.', 'a\n\nb'])
    assert.equal(toPlainText(text), text);
});
