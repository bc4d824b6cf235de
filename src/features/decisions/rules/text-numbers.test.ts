import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createRules } from './index.ts';

const chance = (text: string, question: string): number | null => {
  const options = ['true', 'false'].map((name) => ({ name, description: '' }));
  return createRules({ entry: text, text, images: [] })({ kind: 'noul', question, options })?.[0] ?? null;
};

suite('the number of a text that a question asks for', () => {
  test('another number beside the words than the one that is asked for is left', () => {
    for (const [text, question] of [
      ['The mechanic for the elevator comes between 9 and 11.', 'Is the elevator older than fifteen years?'],
      ['I have looked after Felix for three years.', 'Is Felix older than six?'],
      ['Two tiles of the roof are loose.', 'Did the roof cost more than 9,000?'],
      ['You may repay 10 percent of the mortgage each year.', 'Is the mortgage larger than 150,000?'],
      ['My salary came late twice in six months.', 'Is the salary above 3,000?'],
      ['You invoiced me for a filling on tooth 14.', 'Did they invoice more than 80?'],
      ['Please close the deposit account 0031 today.', 'Is the deposit over 500?'],
      ['We pay 15 euros per lesson.', 'Are there more than ten lessons?'],
      ['We sat in the boat, all 3 of us.', 'Does the boat cost less than 400?'],
    ] as const)
      assert.equal(chance(text, question), null, question);
  });

  test('the number that is asked for is taken with its unit or without one', () => {
    for (const [text, question, isYes] of [
      ['The elevator is 22 years old.', 'Is the elevator older than fifteen years?', true],
      ['Felix is 4 years old', 'Is Felix older than six?', false],
      ['The roof cost 12,400', 'Did the roof cost more than 9,000?', true],
      ['The roof came to 7,200 euros', 'Did the roof cost more than 9,000?', false],
      ['There are 12 lessons left', 'Are there more than ten lessons?', true],
    ] as const) {
      const yes = chance(text, question);
      assert.ok(yes !== null && yes > 0.5 === isYes, `${question} ${yes}`);
    }
  });
});
