import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { judgedQuestions, parseQuestions, readQuestions, trainedQuestions } from './asked.ts';

const questions = readQuestions(join(import.meta.dirname, 'questions.txt'));

test('a question has ways to ask it, texts of which it holds and texts of which it does not', () => {
  const text =
    '# open\n? Is it open? | Is it closed?\n? open | shut\n+ Come in.\n- We are on holiday.\n- Sold out.\n';
  assert.deepEqual(parseQuestions(text), [
    {
      name: 'open',
      ways: [
        ['Is it open?', 'Is it closed?'],
        ['open', 'shut'],
      ],
      yes: ['Come in.'],
      no: ['We are on holiday.', 'Sold out.'],
    },
  ]);
});

test('every question of the file has an opposite for each way, and texts on both sides', () => {
  assert.ok(questions.length > 30);
  for (const { name, ways, yes, no } of questions) {
    assert.ok(yes.length >= 4 && no.length >= 4, name);
    assert.deepEqual(
      ways.filter(([said, opposite]) => said === '' || opposite === ''),
      [],
    );
  }
});

test('nothing that is judged on is trained on', () => {
  const { kinds, rows } = trainedQuestions(questions);
  const { unseen, seen } = judgedQuestions(questions);
  const texts = new Set(rows.map(([text]) => text));
  const ways = new Set(kinds.flat().map(([said]) => said));
  for (const { yes, no } of [...unseen, ...seen]) {
    assert.deepEqual(
      [...yes, ...no].filter((text) => texts.has(text)),
      [],
    );
  }
  assert.deepEqual(
    [...unseen, ...seen].flatMap((one) => one.ways.filter(([said]) => ways.has(said))),
    [],
  );
});
