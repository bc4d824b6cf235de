import { suite, test } from 'node:test';

import type { TestIndex } from './index-support.ts';
import { assertAtLeast, measureRanking } from './ranking.ts';
import { openReadmeIndex, toPackage } from './readme-index.ts';
import { heldOutQuestions, tuningQuestions } from './readme-questions.ts';

const urlsOf = (index: TestIndex) => async (text: string) => (await index.urls(text)).map(toPackage);

suite('questions on 200 READMEs', { concurrency: false }, () => {
  test('with the engine words', async (t) => {
    const index = await openReadmeIndex(t);
    const tuning = await measureRanking(tuningQuestions, urlsOf(index));
    const heldOut = await measureRanking(heldOutQuestions, urlsOf(index));
    t.diagnostic(JSON.stringify({ tuning, heldOut }));
    assertAtLeast(tuning, { hit1: 0.51, hit5: 0.88, mrr: 0.63 });
    assertAtLeast(heldOut, { hit1: 0.56, hit5: 0.78, mrr: 0.66 });
  });
});
