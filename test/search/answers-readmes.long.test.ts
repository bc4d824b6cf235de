import { test } from 'node:test';

import { measureAnswers } from './answers.ts';
import {
  assertWithin,
  counted,
  fifthTuning,
  fourthCounted,
  laterCounted,
  laterTuning,
  sixthCounted,
  sixthTuning,
  thirdCounted,
  thirdTuning,
  tuning,
} from './asked-answers.ts';
import { openReadmeIndex } from './readme-index.ts';

/** Beside what `answers.test.ts` measures on the guide: the index of the READMEs and its questions take 7 s of CPU. */
test('answers without a language model, by words, from the READMEs of 200 packages', async (t) => {
  const index = await openReadmeIndex(t);
  const measured = [
    await measureAnswers(tuning, index, null),
    await measureAnswers(counted, index, null),
    await measureAnswers(laterTuning, index, null),
    await measureAnswers(laterCounted, index, null),
    await measureAnswers(thirdTuning, index, null),
    await measureAnswers(thirdCounted, index, null),
    await measureAnswers(fourthCounted, index, null),
    await measureAnswers(fifthTuning, index, null),
    await measureAnswers(sixthTuning, index, null),
    await measureAnswers(sixthCounted, index, null),
  ] as const;
  t.diagnostic(JSON.stringify(measured));
  assertWithin(measured[0], { first: 0.95, rightOfFound: 0.87, wrong: 0.08 });
  assertWithin(measured[1], { first: 0.92, rightOfFound: 0.64, wrong: 0.29 });
  assertWithin(measured[2], { first: 0.63, rightOfFound: 0.9, wrong: 0.04 });
  assertWithin(measured[3], { first: 0.53, rightOfFound: 0.8, wrong: 0.17 });
  assertWithin(measured[4], { first: 0.72, rightOfFound: 0.7, wrong: 0.19 });
  assertWithin(measured[5], { first: 0.68, rightOfFound: 0.64, wrong: 0.1 });
  assertWithin(measured[6], { first: 0.67, rightOfFound: 0.78, wrong: 0.15 });
  assertWithin(measured[7], { first: 0.71, rightOfFound: 0.82, wrong: 0.13 });
  assertWithin(measured[8], { first: 0.62, rightOfFound: 0.81, wrong: 0.28 });
  assertWithin(measured[9], { first: 0.62, rightOfFound: 0.7, wrong: 0.28 });
});
