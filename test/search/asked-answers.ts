import assert from 'node:assert/strict';
import type { AskedQuestion } from '../../src/features/client/answers/questions.ts';
import type { EmbeddingEngine } from '../../src/features/embeddings/embedding.ts';
import { indexDocs } from '../../src/features/index/docs.ts';
import { embedStale } from '../../src/features/index/embed-stale.ts';
import type { TestScope } from '../support/server.ts';
import { isPage } from '../../src/features/client/answers/questions.ts';
import type { AnswerMeasures, AskedAnswer } from './answers.ts';
import {
  dealHalves,
  eighthQuestions,
  eleventhQuestions,
  fifteenthQuestions,
  fifthQuestions,
  fourteenthQuestions,
  fourthQuestions,
  guideQuestions,
  isForTuning,
  laterQuestions,
  ninthQuestions,
  readmeQuestions,
  seventhQuestions,
  sixthQuestions,
  tenthQuestions,
  thirdQuestions,
  thirteenthQuestions,
  twelfthQuestions,
} from './asked-questions.ts';
import { openTestIndex } from './index-support.ts';

/** An index of the tests has the READMEs under the names of their packages. */
const toReadme = (url: string): string => `${url}/README.md`;
const onReadmes = (asked: readonly AskedQuestion[]): readonly AskedAnswer[] =>
  asked.map(({ question, pages, isRight }) => ({
    question,
    isRight,
    isPage: (url) => pages?.some((page) => isPage(toReadme(url), page)) ?? false,
  }));

export const guide: readonly AskedAnswer[] = guideQuestions.map(({ question, pages, isRight }) => ({
  question,
  isRight,
  isPage: (url) => pages?.some((page) => isPage(url, page)) ?? false,
}));
export const tuning = onReadmes(readmeQuestions.filter(isForTuning));
export const counted = onReadmes(readmeQuestions.filter((one) => !isForTuning(one)));
const later = dealHalves(laterQuestions);
export const laterTuning = onReadmes(later.tuning);
export const laterCounted = onReadmes(later.counted);
const third = dealHalves(thirdQuestions);
export const thirdTuning = onReadmes(third.tuning);
export const thirdCounted = onReadmes(third.counted);

export const fourthCounted = onReadmes(fourthQuestions);
export const fifthTuning = onReadmes(fifthQuestions);
const sixth = dealHalves(sixthQuestions);
export const sixthTuning = onReadmes(sixth.tuning);
export const sixthCounted = onReadmes(sixth.counted);
const seventh = dealHalves(seventhQuestions);
export const seventhTuning = onReadmes(seventh.tuning);
export const seventhCounted = onReadmes(seventh.counted);
export const eighthTuning = onReadmes(eighthQuestions);
export const ninthCounted = onReadmes(ninthQuestions);
export const tenthCounted = onReadmes(tenthQuestions);
export const eleventhCounted = onReadmes(eleventhQuestions);
export const twelfthCounted = onReadmes(twelfthQuestions);
export const thirteenthCounted = onReadmes(thirteenthQuestions);
export const fourteenthCounted = onReadmes(fourteenthQuestions);
export const fifteenthCounted = onReadmes(fifteenthQuestions);

/** Floors are one or two questions below what was measured, and the ceiling of wrong answers is as far above it. */
export function assertWithin(
  measured: AnswerMeasures,
  bounds: Omit<AnswerMeasures, 'found' | 'right'>,
): void {
  const told = JSON.stringify(measured);
  assert.ok(measured.first >= bounds.first, `first: ${told}`);
  assert.ok(measured.rightOfFound >= bounds.rightOfFound, `right: ${told}`);
  assert.ok(measured.wrong <= bounds.wrong, `wrong: ${told}`);
}

export async function openGuide(t: TestScope, engine: EmbeddingEngine | null) {
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
