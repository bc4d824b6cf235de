import assert from 'node:assert/strict';
import { test } from 'node:test';

import { csvToMarkdown } from './csv.ts';
import { splitPassages } from './split.ts';

test('rows are a table, whatever parts their cells, and quoted cells hold what they like', () => {
  const table = '| bird | place |\n| --- | --- |\n| kea | hills, woods |\n| ruff | "mud" |';
  for (const [sign, quoted] of [
    [',', '"hills, woods"'],
    [';', 'hills, woods'],
    ['\t', 'hills, woods'],
  ] as const) {
    const rows = [['bird', 'place'], ['kea', quoted], ['"ruff"', '"""mud"""']]; // prettier-ignore
    assert.equal(csvToMarkdown(`${rows.map((row) => row.join(sign)).join('\n')}\n`), table, sign);
  }
  assert.equal(csvToMarkdown('1,2\n3,4'), '| 1 | 2 |\n| 3 | 4 |', 'numbers name no columns');
});

test('a row that is too long for a table, or whose cells would break it, is a section', () => {
  const long = 'It breeds on cliffs. '.repeat(30).trim();
  assert.equal(
    csvToMarkdown(`bird,sign,about\nkea,a|b,green\nruff,c,"${long}"\nheron,d,grey`),
    [
      '| bird | sign | about |\n| --- | --- | --- |\n| heron | d | grey |',
      '## kea',
      '- sign: a|b\n- about: green',
      '## ruff',
      '- sign: c',
      `about: ${long}`,
    ].join('\n\n'),
  );
});

test('every passage of a long table has the names of its columns, and no row is lost', () => {
  const rows = Array.from({ length: 500 }, (_, at) => `bird ${at},${at} g,a place with a long name ${at}`);
  const passages = splitPassages(csvToMarkdown(`bird,weight,place\n${rows.join('\n')}`) ?? '', 1_000);
  assert.ok(passages.length > 10);
  const told = passages.flatMap(({ text }) => {
    const [head, rule, ...others] = text.split('\n');
    assert.deepEqual([head, rule], ['| bird | weight | place |', '| --- | --- | --- |']);
    return others;
  });
  assert.deepEqual(told, rows.map((row) => `| ${row.replaceAll(',', ' | ')} |`)); // prettier-ignore
});

test('what is no table stays as it is', () => {
  for (const text of ['', 'words here', 'one, two', 'Well, yes.\nNo.\nA, b, c, d.\nThat is all.', '"'])
    assert.equal(csvToMarkdown(text), null, text);
});

test('short rows below long names are no more than a document holds', () => {
  const names = Array.from({ length: 9 }, (_, at) => `${at} ${'name '.repeat(25)}`).join(',');
  const text = `${names}\n${'1,2,3,4,5,6,7,8,9\n'.repeat(200_000)}`;
  assert.ok((csvToMarkdown(text) ?? '').length < 3_000_000);
});
