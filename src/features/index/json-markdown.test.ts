import assert from 'node:assert/strict';
import { test } from 'node:test';

import { jsonToMarkdown } from './json-markdown.ts';

test('members are items, what is nested a section, and entries of the same names a table', () => {
  const value = {
    source: 'DOC',
    limits: { uploadMb: 25, tags: ['a', 'b'], none: null },
    people: [
      { name: 'Anna', address: { city: 'Vienna' } },
      { name: 'Tom', address: { city: 'Stockholm' } },
    ],
  };
  assert.equal(
    jsonToMarkdown(JSON.stringify(value)),
    ['- source: DOC', '## limits', '- uploadMb: 25\n- tags: a, b', '## people',
      '| name | address.city |\n| --- | --- |\n| Anna | Vienna |\n| Tom | Stockholm |'].join('\n\n'), // prettier-ignore
  );
});

test('entries of other names each, and of long texts, are sections', () => {
  const body = 'Parcels are kept for thirty days. '.repeat(12).trim();
  assert.equal(
    jsonToMarkdown(
      JSON.stringify([
        { title: 'Returns', body },
        { title: 'Hours', body: 'Nine to five.' },
      ]),
    ),
    ['| title | body |\n| --- | --- |\n| Hours | Nine to five. |', '## Returns', `body: ${body}`].join(
      '\n\n',
    ),
  );
  const sparse = Array.from({ length: 50 }, (_, at) => ({ [`name ${at}`]: at, [`other ${at}`]: at }));
  assert.match(
    jsonToMarkdown(JSON.stringify(sparse)) ?? '',
    /## 6\n\n- other 6: 6\n\n## 7\n\n- other 7: 7\n/,
  );
});

test('lists of values are items, and numbers keep their digits', () => {
  assert.equal(
    jsonToMarkdown('["a kea", 12345678901234567890, true]'),
    '- a kea\n- 12345678901234567890\n- true',
  );
  assert.equal(jsonToMarkdown('{"id": 12345678901234567890}'), '- id: 12345678901234567890');
});

test('what is no JSON, or says nothing, stays as it is; nesting ends', () => {
  for (const text of ['', '{', '"words here"', '1', '[]', '{}', '[null]'])
    assert.equal(jsonToMarkdown(text), null, text);
  const deep = 30_000;
  assert.equal(jsonToMarkdown(`${'['.repeat(deep)}1${']'.repeat(deep)}`), null);
  const nested = `${'{"a": 1, "b": '.repeat(400)}2${'}'.repeat(400)}`;
  assert.ok((jsonToMarkdown(nested) ?? '').length < 100_000);
});
