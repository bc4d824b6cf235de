import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { oppositeOf, oppositeOfWord } from './opposites.ts';
import { toPolarity } from './polarity.ts';
import { readQuestion } from './texts.ts';

const noul = (question: string) => ({
  kind: 'noul' as const,
  question,
  options: [
    { name: 'true', description: '' },
    { name: 'false', description: '' },
  ],
});

suite('opposites', () => {
  test('the opposite of the opposite of a statement is the statement', () => {
    for (const statement of [
      'Is the review positive?',
      'The customer is Happy',
      'they hated it',
      'a nasty reply',
    ]) {
      const opposite = oppositeOf(statement) ?? '';
      assert.notEqual(opposite, statement);
      assert.equal(oppositeOf(opposite), statement);
    }
    for (const word of ['good', 'unhappy', 'contented', 'discontent', 'rude', 'worst'])
      assert.equal(oppositeOfWord(oppositeOfWord(word) ?? ''), word);
  });

  test('what a text is about has none, nor what only reads like a word of feeling', () => {
    for (const statement of [
      'Is the message about bad weather?',
      'Would the customer like to cancel?',
      'Does it look like an invoice?',
      'Is the customer asking for a refund?',
      `Is it good? ${'x'.repeat(400)}`,
    ])
      assert.equal(oppositeOf(statement), null, statement);
    assert.equal(oppositeOf('Is the customer positive about it?'), 'Is the customer negative about it?');
  });
});

test('a denial is taken out, and a question turned round by the server is turned back', () => {
  assert.deepEqual(toPolarity('Is the review not good?'), { statement: 'Is the review good?', denied: true });
  assert.deepEqual(toPolarity("It isn't a complaint"), { statement: 'It is a complaint', denied: true });
  const turned = 'Is the opposite of the following the case? Is it a complaint?';
  assert.deepEqual(toPolarity(turned), { statement: 'Is it a complaint?', denied: true });
  assert.deepEqual(toPolarity('Nobody complains'), { statement: 'Nobody complains', denied: false });
});

suite('questions', () => {
  test('where only no is defined, yes is that it does not hold', () => {
    const only = (name: string, said: string) =>
      readQuestion({
        ...noul(''),
        options: ['true', 'false'].map((one) => ({ name: one, description: one === name ? said : '' })),
      });
    const yes = only('true', 'A refund is asked for');
    assert.ok(yes.kind === 'statement' && yes.sign === 1);
    assert.deepEqual(only('false', 'A refund is asked for'), { ...yes, sign: -1 });
    assert.deepEqual(only('false', 'A refund is not asked for'), yes);
  });

  test('a question, its opposite and their denials are one calculation', () => {
    const signs = ['Is it good?', 'Is it bad?', 'Is it not good?', 'Is it not bad?'].map((question) => {
      const asked = readQuestion(noul(question));
      assert.ok(asked.kind === 'contrast');
      assert.deepEqual([asked.statement, asked.opposite], ['Is it bad?', 'Is it good?']);
      return asked.sign;
    });
    assert.deepEqual(signs, [-1, 1, 1, -1]);
  });

  test('options that are opposites are feelings; topics are not', () => {
    const choice = (...names: string[]) => ({
      kind: 'choice' as const,
      question: '',
      options: names.map((name) => ({ name, description: '' })),
    });
    assert.equal(readQuestion(choice('positive', 'Negative', 'neutral')).kind, 'feelings');
    assert.equal(readQuestion(choice('billing', 'delivery', 'complaint', 'good')).kind, 'options');
  });
});
