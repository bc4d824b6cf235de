import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { openEncoderEngine } from '../../src/features/embeddings/engines/encoder/index.ts';
import { readShippedVectors } from '../../src/features/index/shipped-vectors.ts';
import { toEmbedder } from '../../src/features/index/to-document.ts';
import { shareEncoder } from '../../src/features/models/encoder.ts';
import { createLikeness } from '../../src/features/models/likeness.ts';
import { keepVectors } from '../support/kept-vectors.ts';
import { hangMs } from '../support/until.ts';
import { measureAnswers } from './answers.ts';
import {
  assertWithin,
  counted,
  eleventhCounted,
  fifteenthCounted,
  fifthTuning,
  fourteenthCounted,
  fourthCounted,
  guide,
  laterCounted,
  laterTuning,
  ninthCounted,
  openGuide,
  seventhCounted,
  seventhTuning,
  sixthCounted,
  sixthTuning,
  tenthCounted,
  thirdCounted,
  thirdTuning,
  thirteenthCounted,
  tuning,
  twelfthCounted,
} from './asked-answers.ts';
import { assertAtLeast, measureRanking } from './ranking.ts';
import { openTestIndex } from './index-support.ts';
import { assertMadeBy } from './made-vectors.ts';
import { openReadmeIndex, readmePassages, readmeVectorsFile, toPackage } from './readme-index.ts';
import { heldOutQuestions, searches, tuningQuestions } from './readme-questions.ts';

test('the vectors kept of READMEs are what the encoder says', async (t) => {
  const engine = await openEncoderEngine(shareEncoder());
  t.after(() => engine.close());
  const passages = await readmePassages(await openTestIndex(t));
  const kept = readShippedVectors(await readFile(readmeVectorsFile));
  await assertMadeBy(toEmbedder(engine), kept, passages, {
    share: 0.9,
    by: 'test/search/derive-readme-vectors.ts',
  });
});

/** Ranking and answers together, with the same vectors. Older answers are measured by words alone: reading takes minutes. */
test('questions on READMEs and the guide, with the encoder', async (t) => {
  const { open: share, keep } = keepVectors(shareEncoder());
  const engine = await openEncoderEngine(share);
  t.after(() => engine.close());
  const index = await openReadmeIndex(t, engine);
  const urlsOf = async (text: string) => (await index.urls(text)).map(toPackage);
  const ranked = {
    tuning: await measureRanking(tuningQuestions, urlsOf),
    heldOut: await measureRanking(heldOutQuestions, urlsOf),
    searches: await measureRanking(searches, urlsOf),
  };
  const likeness = createLikeness(share, hangMs);
  t.after(() => likeness.close());
  const answered = {
    counted: await measureAnswers(counted, index, likeness),
    laterCounted: await measureAnswers(laterCounted, index, likeness),
    thirdCounted: await measureAnswers(thirdCounted, index, likeness),
    fourthCounted: await measureAnswers(fourthCounted, index, likeness),
    sixthCounted: await measureAnswers(sixthCounted, index, likeness),
    seventhCounted: await measureAnswers(seventhCounted, index, likeness),
    ninthCounted: await measureAnswers(ninthCounted, index, likeness),
    tenthCounted: await measureAnswers(tenthCounted, index, likeness),
    eleventhCounted: await measureAnswers(eleventhCounted, index, likeness),
    twelfthCounted: await measureAnswers(twelfthCounted, index, likeness),
    thirteenthCounted: await measureAnswers(thirteenthCounted, index, likeness),
    fourteenthCounted: await measureAnswers(fourteenthCounted, index, likeness),
    fifteenthCounted: await measureAnswers(fifteenthCounted, index, likeness),
    guide: await measureAnswers(guide, await openGuide(t, engine), likeness),
  };
  await keep();
  t.diagnostic(JSON.stringify({ ranked, answered }));
  assertAtLeast(ranked.tuning, { hit1: 0.76, hit5: 0.93, mrr: 0.82 });
  assertAtLeast(ranked.heldOut, { hit1: 0.68, hit5: 0.91, mrr: 0.77 });
  assertAtLeast(ranked.searches, { hit1: 0.6, hit5: 0.86, mrr: 0.71 });
  assertWithin(answered.counted, { first: 0.92, rightOfFound: 0.8, wrong: 0.08 });
  // A third of most is asked of nothing, and no page is right for these.
  assertWithin(answered.laterCounted, { first: 0.6, rightOfFound: 0.65, wrong: 0.07 });
  assertWithin(answered.thirdCounted, { first: 0.72, rightOfFound: 0.52, wrong: 0.05 });
  assertWithin(answered.fourthCounted, { first: 0.7, rightOfFound: 0.74, wrong: 0.08 });
  assertWithin(answered.sixthCounted, { first: 0.65, rightOfFound: 0.83, wrong: 0.1 });
  assertWithin(answered.seventhCounted, { first: 0.63, rightOfFound: 0.85, wrong: 0.05 });
  assertWithin(answered.ninthCounted, { first: 0.63, rightOfFound: 0.67, wrong: 0.09 });
  assertWithin(answered.tenthCounted, { first: 0.62, rightOfFound: 0.46, wrong: 0.17 });
  assertWithin(answered.eleventhCounted, { first: 0.6, rightOfFound: 0.65, wrong: 0.09 });
  assertWithin(answered.twelfthCounted, { first: 0.55, rightOfFound: 0.52, wrong: 0.07 });
  assertWithin(answered.thirteenthCounted, { first: 0.6, rightOfFound: 0.52, wrong: 0.12 });
  assertWithin(answered.fourteenthCounted, { first: 0.61, rightOfFound: 0.56, wrong: 0.19 });
  assertWithin(answered.fifteenthCounted, { first: 0.63, rightOfFound: 0.5, wrong: 0.15 });
  assertWithin(answered.guide, { first: 0.86, rightOfFound: 0.75, wrong: 0.11 });
});

/** By words alone; the guide is measured in `answers.test.ts`. */
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
    await measureAnswers(seventhTuning, index, null),
    await measureAnswers(seventhCounted, index, null),
    await measureAnswers(ninthCounted, index, null),
  ] as const;
  t.diagnostic(JSON.stringify(measured));
  assertWithin(measured[0], { first: 0.95, rightOfFound: 0.87, wrong: 0.08 });
  assertWithin(measured[1], { first: 0.93, rightOfFound: 0.64, wrong: 0.29 });
  assertWithin(measured[2], { first: 0.63, rightOfFound: 0.9, wrong: 0.04 });
  assertWithin(measured[3], { first: 0.6, rightOfFound: 0.8, wrong: 0.16 });
  assertWithin(measured[4], { first: 0.72, rightOfFound: 0.7, wrong: 0.17 });
  assertWithin(measured[5], { first: 0.68, rightOfFound: 0.64, wrong: 0.07 });
  assertWithin(measured[6], { first: 0.67, rightOfFound: 0.78, wrong: 0.13 });
  assertWithin(measured[7], { first: 0.73, rightOfFound: 0.82, wrong: 0.13 });
  assertWithin(measured[8], { first: 0.63, rightOfFound: 0.85, wrong: 0.2 });
  assertWithin(measured[9], { first: 0.65, rightOfFound: 0.75, wrong: 0.28 });
  assertWithin(measured[10], { first: 0.63, rightOfFound: 0.8, wrong: 0.14 });
  assertWithin(measured[11], { first: 0.63, rightOfFound: 0.87, wrong: 0.14 });
  assertWithin(measured[12], { first: 0.65, rightOfFound: 0.52, wrong: 0.31 });
});
