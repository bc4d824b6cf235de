import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { measureAnswers } from './answers.ts';
import { assertWithin, counted, guide, openGuide, tuning } from './asked-answers.ts';
import { docsAnswers } from './docs-answers.ts';
import { docsQuestions } from './docs-questions.ts';
import { openReadmeIndex } from './readme-index.ts';

suite('answers without a language model', { concurrency: false }, () => {
  test('every question about the guide has something that its answer is to hold', () => {
    assert.deepEqual(docsQuestions.filter(([question]) => docsAnswers[question] === undefined), []); // prettier-ignore
    assert.ok(tuning.length >= 25 && counted.length >= 25);
  });

  test('by words, from the READMEs of 200 packages', async (t) => {
    const index = await openReadmeIndex(t);
    const measured = [
      await measureAnswers(tuning, index, null),
      await measureAnswers(counted, index, null),
    ] as const;
    t.diagnostic(JSON.stringify(measured));
    assertWithin(measured[0], { first: 0.89, rightOfFound: 0.69, wrong: 0.3 });
    assertWithin(measured[1], { first: 0.89, rightOfFound: 0.55, wrong: 0.45 });
  });

  test('by words, from the guide', async (t) => {
    const measured = await measureAnswers(guide, await openGuide(t, null), null);
    t.diagnostic(JSON.stringify(measured));
    assertWithin(measured, { first: 0.76, rightOfFound: 0.57, wrong: 0.39 });
  });
});
