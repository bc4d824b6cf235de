import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import Papa from 'papaparse';
import type { Outcome } from './batch.ts';
import { decodeFile, parseTable, stateOf, toResultCsv } from './csv.ts';

const questions = {
  topic: { type: 'choice', criteria: { a: null, b: null } },
  ok: { type: 'noul' },
  level: { type: 'score', criteria: ['low', 'high'] },
} as const;
const outcome: Outcome = {
  decision: {
    model: 'm',
    answers: {
      topic: { type: 'choice', choice: 'b', confidence: 0.5, probabilities: { a: 0.25, b: 0.75 } },
      ok: { type: 'noul', noul: 0.125 },
      level: {
        type: 'score',
        score: 0.75,
        confidence: 0.1,
        legend: { '0': 'low', '1': 'high' },
        probabilities: { '0': 0.25, '1': 0.75 },
      },
    },
    usage: { input_tokens: 1, output_tokens: 3 },
  },
};

suite('a table of rows', () => {
  test('quotes, line ends in cells, other separators and rows of uneven length are read', () => {
    const table = parseTable('id;text;text\r\n1;"a ""b""\r\nc; d";x\r\n\r\n2;y\r\n3;z;q;more\r\n', true);
    assert.deepEqual(table.columns, ['id', 'text', 'text (2)', 'column 4']);
    assert.deepEqual(table.rows, [
      ['1', 'a "b"\r\nc; d', 'x'],
      ['2', 'y'],
      ['3', 'z', 'q', 'more'],
    ]);
    assert.deepEqual(table.problems, []);
  });

  test('without names the columns are counted, and one column is a table too', () => {
    const table = parseTable('only this\nand that', false);
    assert.deepEqual(table.columns, ['column 1']);
    assert.equal(table.rows.length, 2);
    assert.deepEqual(table.problems, []);
  });

  test('a quote that is not closed is told with its row', () => {
    assert.match(parseTable('a,b\n1,2\n3,"4', true).problems.join(), /Row 2: /);
  });

  test('a state is one column, or lines of several with their names', () => {
    const table = parseTable('a,b\n1,2', true);
    assert.equal(stateOf(table, table.rows[0] ?? [], [1]), '2');
    assert.equal(stateOf(table, table.rows[0] ?? [], [1, 0]), 'b: 2\na: 1');
  });

  test('files of spreadsheets are read in their encoding', () => {
    const text = 'Grüße,✓';
    assert.equal(decodeFile(new TextEncoder().encode(text)), text);
    assert.equal(decodeFile(Uint8Array.from([0xff, 0xfe, ...Buffer.from(text, 'utf16le')])), text);
    assert.equal(decodeFile(Uint8Array.from([0x47, 0x72, 0xfc, 0xdf, 0x65])), 'Grüße');
    assert.deepEqual(parseTable(`\ufeffa\n1`, true).columns, ['a']);
  });

  test('results stand beside the original columns, with a name of their own', () => {
    const table = parseTable('topic,n\nx,1\ny,2\nz,3', true);
    const text = toResultCsv(table, {
      questions,
      outcomes: [outcome, { error: 'no, "never"' }],
      isForSpreadsheets: false,
      reviewBelow: 0.2,
    });
    const { data } = Papa.parse<string[]>(text.trimEnd());
    assert.deepEqual(data, [
      [
        'topic',
        'n',
        'topic (2)',
        'topic confidence',
        'topic p(a)',
        'topic p(b)',
        'ok',
        'ok p(yes)',
        'level',
        'level likeliest',
        'level confidence',
        'level p(0)',
        'level p(1)',
        'review',
        'error',
      ],
      [
        'x',
        '1',
        'b',
        '0.5',
        '0.25',
        '0.75',
        'no',
        '0.125',
        '0.75',
        '1: high',
        '0.1',
        '0.25',
        '0.75',
        'yes',
        '',
      ],
      ['y', '2', ...Array.from({ length: 12 }, () => ''), 'no, "never"'],
      ['z', '3', ...Array.from({ length: 12 }, () => ''), ''],
    ]);
  });

  test('formulas are disarmed for spreadsheets and nothing else is touched; without that nothing is', () => {
    const cells = ['=1+1', '+cmd|x', '-cmd', '@SUM(A1)', '\t=1', ' =1', '-5', '+4.5', '-1e-3', 'a=b', "'x"];
    const table = parseTable(
      Papa.unparse([['cell'], ...cells.map((cell) => [cell])], { quotes: true }),
      true,
    );
    assert.deepEqual(table.rows.flat(), cells);
    const read = (isForSpreadsheets: boolean) => {
      const text = toResultCsv(table, { questions: {}, outcomes: [], isForSpreadsheets, reviewBelow: 0.5 });
      return {
        text,
        cells: Papa.parse<string[]>(text.trimEnd())
          .data.slice(1)
          .map(([cell]) => cell),
      };
    };
    assert.deepEqual(read(false).cells, cells);
    const guarded = cells.map((cell, at) => (at < 6 ? `'${cell}` : cell));
    assert.deepEqual(read(true).cells, guarded);
    assert.ok(read(true).text.startsWith('\ufeff') && !read(false).text.startsWith('\ufeff'));
  });

  test('10,000 rows are read and written whole', () => {
    const row = `1,${'a text of some length that somebody wrote '.repeat(5)},x`;
    const table = parseTable(`id,text,other\n${Array.from({ length: 10_000 }, () => row).join('\n')}`, true);
    const outcomes = table.rows.map(() => outcome);
    const text = toResultCsv(table, { questions, outcomes, isForSpreadsheets: true, reviewBelow: 0.5 });
    assert.equal(text.split('\r\n').length, 10_002);
  });
});
