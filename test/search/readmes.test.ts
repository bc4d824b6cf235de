import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { openEncoderEngine } from '../../src/features/embeddings/engines/encoder/index.ts';
import { shareEncoder } from '../../src/features/models/encoder.ts';
import { roundsOf } from '../support/rounds.ts';
import type { TestIndex } from './index-support.ts';
import { measureRanking, type RankingMeasures } from './ranking.ts';
import { openReadmeIndex, toPackage } from './readme-index.ts';
import { heldOutQuestions, tuningQuestions } from './readme-questions.ts';

const urlsOf = (index: TestIndex) => async (text: string) => (await index.urls(text)).map(toPackage);

/** Somewhat less than a question of forty below what was measured: the same bytes give the same ranking. */
function assertAtLeast(measured: RankingMeasures, floor: RankingMeasures): void {
  for (const name of ['hit1', 'hit5', 'mrr'] as const)
    assert.ok(measured[name] >= floor[name], `${name}: ${JSON.stringify(measured)}`);
}

suite('questions on 200 READMEs', { concurrency: false }, () => {
  test('with the engine words', async (t) => {
    const index = await openReadmeIndex(t);
    const tuning = await measureRanking(tuningQuestions, urlsOf(index));
    const heldOut = await measureRanking(heldOutQuestions, urlsOf(index));
    t.diagnostic(JSON.stringify({ tuning, heldOut }));
    assertAtLeast(tuning, { hit1: 0.51, hit5: 0.88, mrr: 0.63 });
    assertAtLeast(heldOut, { hit1: 0.56, hit5: 0.78, mrr: 0.66 });
  });

  const skip = roundsOf(0, 1) === 0 && 'takes the encoder minutes of processor time';
  test('with the engine encoder', { skip }, async (t) => {
    const engine = await openEncoderEngine(shareEncoder());
    t.after(() => engine.close());
    const index = await openReadmeIndex(t, engine);
    const tuning = await measureRanking(tuningQuestions, urlsOf(index));
    const heldOut = await measureRanking(heldOutQuestions, urlsOf(index));
    t.diagnostic(JSON.stringify({ tuning, heldOut }));
    assertAtLeast(tuning, { hit1: 0.76, hit5: 0.93, mrr: 0.82 });
    assertAtLeast(heldOut, { hit1: 0.68, hit5: 0.91, mrr: 0.77 });
  });
});
