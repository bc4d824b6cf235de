import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { toBars, toDifference, toDifferences, toHeadline, type Answer, type Decision } from './answers.ts';

const noul: Answer = { type: 'noul', noul: 0.75 };
const choice: Answer = {
  type: 'choice',
  choice: 'billing',
  confidence: 0.4,
  probabilities: { delivery: 0.3, billing: 0.6, login: 0.1 },
};
const score: Answer = {
  type: 'score',
  score: 1.6,
  confidence: 0.4,
  legend: { '0': 'low', '1': { is: 'middle' }, '2': 'high' },
  probabilities: { '0': 0.1, '1': 0.2, '2': 0.7 },
};

suite('answers as bars', () => {
  test('options stand from the likeliest down, levels from the lowest up', () => {
    assert.deepEqual(
      toBars(choice).map(({ key }) => key),
      ['billing', 'delivery', 'login'],
    );
    assert.deepEqual(
      toBars(score).map(({ label }) => label),
      ['0: low', '1: {"is":"middle"}', '2: high'],
    );
    assert.deepEqual(
      toBars(noul).map(({ label, probability }) => [label, probability]),
      [
        ['yes', 0.75],
        ['no', 0.25],
      ],
    );
  });

  test('the headline names the likeliest answer', () => {
    assert.deepEqual(toHeadline(noul), { winner: 'yes', label: 'yes', score: null, confidence: null });
    assert.equal(toHeadline({ type: 'noul', noul: 0.49 }).winner, 'no');
    assert.deepEqual(toHeadline(choice), {
      winner: 'billing',
      label: 'billing',
      score: null,
      confidence: 0.4,
    });
    assert.deepEqual(toHeadline(score), { winner: '2', label: '2: high', score: 1.6, confidence: 0.4 });
  });

  test('of two engines the largest change and the agreement on the winner are told', () => {
    const other: Answer = {
      ...choice,
      choice: 'delivery',
      probabilities: { delivery: 0.75, billing: 0.2, login: 0.05 },
    };
    const { agrees, label, change } = toDifference(choice, other);
    assert.deepEqual([agrees, label, Math.round(change * 100)], [false, 'delivery', 45]);
    const decision = (answers: Decision['answers']): Decision => ({
      model: 'x',
      answers,
      usage: { input_tokens: 1, output_tokens: 1 },
    });
    const found = toDifferences(decision({ a: noul, b: choice }), decision({ a: noul, b: other }));
    assert.deepEqual([found?.agreed, found?.asked, found?.largest.name], [1, 2, 'b']);
    assert.equal(toDifferences(decision({ a: noul }), decision({ b: noul })), null);
  });
});
