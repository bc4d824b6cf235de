import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTable } from '../decide/csv.ts';
import { previewRows, toJsonLines } from './read-rows.ts';

test('the first rows are shown, and lines that are none are told by their number', () => {
  const lines = [
    '{"id":"a","state":"x"}',
    '',
    '{"state":',
    '[]',
    '{"state":5}',
    '{"custom_id":"b","state":{}}',
  ];
  assert.deepEqual(previewRows(lines.join('\n'), true), {
    rows: [
      { line: 1, id: 'a', state: 'x' },
      { line: 6, id: 'b', state: {} },
    ],
    problems: [
      { line: 3, problem: 'not valid JSON' },
      { line: 4, problem: 'not an object' },
      { line: 5, problem: 'state must be a string, object or array' },
    ],
    haveQuestions: false,
  });
});

test('a line that was cut is no mistake, and questions of the rows are seen', () => {
  const row = '{"state":"x","questions":{"q":{"type":"noul"}}}';
  const { rows, problems, haveQuestions } = previewRows(`${row}\n${row}\n{"sta`, false);
  assert.deepEqual([rows.length, problems, haveQuestions], [2, [], true]);
});

test('a table becomes JSON lines: of one column, or of all', () => {
  const table = parseTable('name,text\nKea,"says ""hi"""\n', true);
  assert.deepEqual(toJsonLines(table, 1), ['{"id":"1","state":"says \\"hi\\""}\n']);
  assert.deepEqual(toJsonLines(table, null), ['{"id":"1","state":{"name":"Kea","text":"says \\"hi\\""}}\n']);
});
