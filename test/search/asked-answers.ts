import assert from 'node:assert/strict';
import type { EmbeddingEngine } from '../../src/features/embeddings/embedding.ts';
import { docsPath, indexDocs } from '../../src/features/index/docs.ts';
import { embedStale } from '../../src/features/index/embed-stale.ts';
import type { TestScope } from '../support/server.ts';
import { isForTuning, type AnswerMeasures, type AskedAnswer } from './answers.ts';
import { docsAnswers } from './docs-answers.ts';
import { docsQuestions } from './docs-questions.ts';
import { openTestIndex } from './index-support.ts';
import { answerQuestions } from './readme-answers.ts';
import { toPackage } from './readme-index.ts';

const readmes = answerQuestions.map(([question, holds, name]): AskedAnswer => ({
  question,
  holds,
  isPage: (url) => toPackage(url) === name,
}));
export const guide = docsQuestions.map(([question, ...pages]): AskedAnswer => ({
  question,
  holds: docsAnswers[question] ?? /$^/,
  isPage: (url) => pages.some((page) => url.endsWith(`${docsPath}${page}`)),
}));
export const tuning = readmes.filter(({ question }) => isForTuning(question));
export const counted = readmes.filter(({ question }) => !isForTuning(question));

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
