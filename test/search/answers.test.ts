import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { measureAnswers } from './answers.ts';
import { assertWithin, counted, guide, openGuide, tuning } from './asked-answers.ts';

suite('answers without a language model', { concurrency: false }, () => {
  test('every question about the guide has something that its answer is to hold', () => {
    assert.deepEqual(guide.filter(({ isRight }) => isRight === null), []); // prettier-ignore
    assert.ok(guide.length >= 94);
    assert.ok(tuning.length >= 25 && counted.length >= 25);
  });

  test('by words, from the guide', async (t) => {
    const measured = await measureAnswers(guide, await openGuide(t, null), null);
    t.diagnostic(JSON.stringify(measured));
    assertWithin(measured, { first: 0.76, rightOfFound: 0.74, wrong: 0.2 });
  });
});
