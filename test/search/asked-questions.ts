import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readQuestions, type AskedQuestion } from '../../src/features/client/answers/questions.ts';

/** The files in `questions/`, which `nestor eval --answers` reads as well. */
const read = (name: string): readonly AskedQuestion[] =>
  readQuestions(readFileSync(new URL(`questions/${name}.jsonl`, import.meta.url), 'utf8'), name);

/**
 * Questions on Nestor in the words of people who have not read its guide, the pages that answer them and what a helpful
 * answer holds; written beside the guide, before any answer was seen, and looked at while answers were improved.
 */
export const guideQuestions = read('guide');

/** Questions of developers and the READMEs that answer them; written beside these, before any answer was seen. */
export const readmeQuestions = read('readmes');

/**
 * 40 more that a README answers and 20 that none does, written beside the READMEs after everything that the others were
 * used for, before any answer or ranking of them was seen.
 */
export const laterQuestions = read('readmes-later');

/** 34 more on pages that nothing was asked of before, and 10 without an answer; frozen as those were. */
export const thirdQuestions = read('readmes-third');

/** 40 more, most on pages that nothing was asked of before, 8 without an answer; never looked at, only counted. */
export const fourthQuestions = read('readmes-fourth');

/** 70 more, 14 without an answer, written after those and all looked at while answers were improved. */
export const fifthQuestions = read('readmes-fifth');

/** 80 more on pages that nothing was asked of before, 26 without an answer, halved as the later ones; frozen before any answer to them was seen. */
export const sixthQuestions = read('readmes-sixth');

/** 120 more, most on pages that nothing was asked of before, 40 without an answer, halved and frozen as those were. */
export const seventhQuestions = read('readmes-seventh');

/** 119 that mostly no README answers, all looked at: what kinds of wrong statements there are. */
export const eighthQuestions = read('readmes-eighth');

/** 60 more, 20 without an answer, by an author who saw no engine and no answer; counted once, when all else was done. */
export const ninthQuestions = read('readmes-ninth');

/** 119 more, 40 without an answer, by another author who saw no engine and no answer: two halves, each counted once. */
export const tenthQuestions = read('readmes-tenth');
export const eleventhQuestions = read('readmes-eleventh');

/** 120 more, 40 without an answer, by two other authors who saw no engine, no answer and no earlier question. */
export const twelfthQuestions = read('readmes-twelfth');
export const thirteenthQuestions = read('readmes-thirteenth');

/** 120 more, 40 without an answer, by two other authors who saw no engine, no answer and no earlier question, each on one half of the pages. */
export const fourteenthQuestions = read('readmes-fourteenth');
export const fifteenthQuestions = read('readmes-fifteenth');

/** A question on the guide with the pages that answer it. */
export const docsQuestions = guideQuestions.map(
  ({ question, pages }) => [question, ...(pages ?? [])] as const,
);

/** Questions are dealt by chance: by the first digit of their SHA-256. */
export const isForTuning = ({ question }: AskedQuestion): boolean =>
  Number.parseInt(hash('sha256', question).slice(0, 1), 16) % 2 === 0;

/** Later ones halved: in the order of their SHA-256, the first half is for tuning and the second only counted. */
export function dealHalves(questions: readonly AskedQuestion[]) {
  const order = questions.toSorted((a, b) =>
    hash('sha256', a.question) < hash('sha256', b.question) ? -1 : 1,
  );
  const answerable = order.filter(({ pages }) => (pages?.length ?? 0) > 0);
  const unanswerable = order.filter(({ pages }) => pages?.length === 0);
  const half = <Item>(items: readonly Item[], at: 0 | 1) =>
    items.slice((at * items.length) / 2, ((at + 1) * items.length) / 2);
  return {
    tuning: [...half(answerable, 0), ...half(unanswerable, 0)],
    counted: [...half(answerable, 1), ...half(unanswerable, 1)],
  };
}
