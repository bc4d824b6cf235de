import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { openEncoderEngine } from '../../src/features/embeddings/engines/encoder/index.ts';
import type { EmbeddingEngine } from '../../src/features/embeddings/embedding.ts';
import { docsPath, indexDocs } from '../../src/features/index/docs.ts';
import { embedStale } from '../../src/features/index/embed-stale.ts';
import { shareEncoder } from '../../src/features/models/encoder.ts';
import { createLikeness } from '../../src/features/models/likeness.ts';
import { roundsOf } from '../support/rounds.ts';
import type { TestScope } from '../support/server.ts';
import { hangMs } from '../support/until.ts';
import { isForTuning, measureAnswers, type AnswerMeasures, type AskedAnswer } from './answers.ts';
import { docsAnswers } from './docs-answers.ts';
import { docsQuestions } from './docs-questions.ts';
import { openTestIndex } from './index-support.ts';
import { answerQuestions } from './readme-answers.ts';
import { openReadmeIndex, toPackage } from './readme-index.ts';

const readmes = answerQuestions.map(([question, holds, name]): AskedAnswer => ({
  question,
  holds,
  isPage: (url) => toPackage(url) === name,
}));
const guide = docsQuestions.map(([question, ...pages]): AskedAnswer => ({
  question,
  holds: docsAnswers[question] ?? /$^/,
  isPage: (url) => pages.some((page) => url.endsWith(`${docsPath}${page}`)),
}));
const tuning = readmes.filter(({ question }) => isForTuning(question));
const counted = readmes.filter(({ question }) => !isForTuning(question));

/** Floors are one or two questions below what was measured, and the ceiling of wrong answers is as far above it. */
function assertWithin(measured: AnswerMeasures, bounds: Omit<AnswerMeasures, 'found' | 'right'>): void {
  const told = JSON.stringify(measured);
  assert.ok(measured.first >= bounds.first, `first: ${told}`);
  assert.ok(measured.rightOfFound >= bounds.rightOfFound, `right: ${told}`);
  assert.ok(measured.wrong <= bounds.wrong, `wrong: ${told}`);
}

async function openGuide(t: TestScope, engine: EmbeddingEngine | null) {
  const index = await openTestIndex(t, [], engine);
  const { signal } = new AbortController();
  await indexDocs(
    index.parts,
    { root: new URL('../../', import.meta.url), base: 'http://127.0.0.1:8787' },
    signal,
  );
  const log = { info: () => {}, warn: () => {} };
  const { embedder } = index.parts;
  if (embedder !== null) await embedStale({ ...index.parts, embedder, log, signal });
  return index;
}

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

  const skip = roundsOf(0, 1) === 0 && 'takes the encoder minutes of processor time';
  test('with the encoder, from the READMEs and the guide', { skip }, async (t) => {
    const share = shareEncoder();
    const engine = await openEncoderEngine(share);
    t.after(() => engine.close());
    const likeness = createLikeness(share, hangMs);
    t.after(() => likeness.close());
    const index = await openReadmeIndex(t, engine);
    const measured = [
      await measureAnswers(tuning, index, likeness),
      await measureAnswers(counted, index, likeness),
      await measureAnswers(guide, await openGuide(t, engine), likeness),
    ] as const;
    t.diagnostic(JSON.stringify(measured));
    assertWithin(measured[0], { first: 0.89, rightOfFound: 0.68, wrong: 0.28 });
    assertWithin(measured[1], { first: 0.92, rightOfFound: 0.7, wrong: 0.3 });
    assertWithin(measured[2], { first: 0.8, rightOfFound: 0.68, wrong: 0.24 });
  });
});
