import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isJsonLines,
  likelyColumns,
  likelyQuestion,
  readJsonLines,
  readNamedTable,
  readTable,
  toPortions,
} from './read-examples.ts';

const choice = { type: 'choice', criteria: { a: null, b: 'second' } } as const;

test('every line that is no example is told by its number, and the others are read', () => {
  const lines = [
    JSON.stringify({ state: 'x', question: choice, answer: 'a' }),
    '',
    '{"state": "x"',
    '[]',
    JSON.stringify({ state: 'x', question: choice }),
    JSON.stringify({ state: 5, question: choice, answer: 'a' }),
    JSON.stringify({ state: 'x', question: { type: 'choice' }, answer: 'a' }),
    JSON.stringify({ state: 'x', question: choice, answer: 'c' }),
    JSON.stringify({ state: 'x', question: { type: 'noul' }, answer: 'yes' }),
    JSON.stringify({ state: 'x', question: { type: 'score', criteria: ['low', 'high'] }, answer: 2 }),
    JSON.stringify({ state: ['x'], question: { type: 'score', criteria: ['low', 'high'] }, answer: 1 }),
  ];
  const read = readJsonLines(lines.join('\r\n'));
  assert.deepEqual(
    read.map(({ row, problem }) => [row, problem]),
    [
      [1, undefined],
      [3, 'not valid JSON'],
      [4, 'not an object with state, question and answer'],
      [5, '"answer" is missing'],
      [6, 'the state is no text, object or list'],
      [7, 'the question has no options: "criteria" of a choice is an object of them'],
      [8, 'the answer "c" is none of the options'],
      [9, 'the answer is "yes", not true or false'],
      [10, 'the answer is 2, not the index of a level (0 to 1)'],
      [11, undefined],
    ],
  );
  assert.deepEqual(read[0]?.example, { state: 'x', question: choice, answer: 'a' });
});

test('a table finds its columns and its question', () => {
  const text = 'id,category,text\n1,billing,I paid twice\n2,login,I cannot sign in\n3,,Hello\n4,login,\n';
  assert.ok(!isJsonLines(text));
  assert.ok(isJsonLines(' {"state": 1}'));
  const table = readNamedTable(text);
  const columns = likelyColumns(table);
  assert.deepEqual(columns, { stateColumn: 2, answerColumn: 1 });
  const question = likelyQuestion(table, 1);
  assert.deepEqual(question, { type: 'choice', criteria: { billing: null, login: null } });
  assert.deepEqual(
    readTable(table, { ...columns, question }).map(({ example, problem }) => example?.answer ?? problem),
    ['billing', 'login', 'the answer "" is none of the options', 'the text is empty'],
  );
});

test('a column of yes and no is a noul, and its cells become true and false', () => {
  const table = readNamedTable('text,refund\nGive it back,yes\nThank you,No\n');
  assert.deepEqual(likelyColumns(table), { stateColumn: 0, answerColumn: 1 });
  const question = likelyQuestion(table, 1);
  assert.deepEqual(question, { type: 'noul' });
  assert.deepEqual(
    readTable(table, { stateColumn: 0, answerColumn: 1, question }).map(({ example }) => example?.answer),
    [true, false],
  );
});

test('no call gets more examples or letters than it takes', () => {
  const example = { state: 'x', question: choice, answer: 'a' } as const;
  const many = Array.from({ length: 2_001 }, () => example);
  assert.deepEqual(
    toPortions(many).map(({ length }) => length),
    [1_000, 1_000, 1],
  );
  const long = { ...example, state: 'x'.repeat(3_000_000) };
  assert.deepEqual(
    toPortions([long, long, example]).map(({ length }) => length),
    [1, 2],
  );
  assert.deepEqual(toPortions([]), []);
});
