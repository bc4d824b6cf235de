import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NormalizedQuestion } from '../../engine.ts';
import { aspectTexts } from './aspects.ts';
import { clausesOf } from './said.ts';
import { readQuestion } from './texts.ts';

const review = `The soup was cold, but the lamb was tender. It came with a sauce of figs. Our waiter remembered my allergy.
The menu, on the other hand, is a mess of nine pages.`;

const question = (
  kind: NormalizedQuestion['kind'],
  asked: string,
  names: readonly string[] = ['true', 'false'],
): NormalizedQuestion => ({
  kind,
  question: asked,
  options: names.map((name) => ({ name, description: kind === 'score' ? name : '' })),
});

const textsOf = (one: NormalizedQuestion, state = review) =>
  aspectTexts(readQuestion(one), one, () => clausesOf(state));

test('a judgement of one thing is answered from the clauses that name it', () => {
  const ofLamb = ['the lamb was tender., It came with a sauce of figs.'];
  for (const [one, expected] of [
    [question('noul', 'Is the soup good?'), ['The soup was cold']],
    [question('noul', 'Was the lamb good?'), ofLamb],
    [question('noul', 'Was the lamb not good?'), ofLamb],
    [question('noul', 'Was the lamb bad?'), ofLamb],
    [question('choice', 'Sentiment about the lamb?', ['positive', 'neutral', 'negative']), ofLamb],
    [question('score', 'How good was the lamb?', ['bad', 'mediocre', 'good']), ofLamb],
    [
      question('noul', 'Does the guest like the menu?'),
      ['The menu, on the other hand, is a mess of nine pages.'],
    ],
  ] as const)
    assert.deepEqual(textsOf(one), expected, one.question);
});

test('else the whole state answers', () => {
  for (const one of [
    question('noul', 'Is the review positive?'),
    question('noul', 'Is the guest happy?'),
    question('noul', 'Is the parking good?'),
    question('noul', 'Is the soup cold?'),
    question('choice', 'What is it about?', ['soup', 'lamb']),
    question('score', 'How urgent is the soup?', ['not urgent', 'urgent']),
  ])
    assert.equal(textsOf(one), null, one.question);
  assert.equal(textsOf(question('noul', 'Is the soup good?'), 'The soup was cold'), null);
  assert.equal(textsOf(question('noul', 'Is the soup good?'), ''), null);
});

test('of many clauses that name a thing as many are read as cost no more than a long state', () => {
  const state = 'The soup was cold. We left. '.repeat(400);
  assert.equal(textsOf(question('noul', 'Is the soup good?'), state)?.length, 16);
});
