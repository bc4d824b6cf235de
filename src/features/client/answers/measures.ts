import type { GradedAnswer } from './grade.ts';

/** Figures of a run. A share is null where nothing that it is of was asked. */
export interface AnswerMeasures {
  readonly questions: number;
  /** Of the questions that some page answers: one of these pages is the first source, or one of the first five. */
  readonly hit1: number | null;
  readonly hit5: number | null;
  /** Among all sources of the answer. */
  readonly found: number | null;
  readonly mrr: number | null;
  /** Of the cited sources of what was stated to them: those that answer. */
  readonly citationPrecision: number | null;
  /** Of those whose page is among the sources: what was stated cites it. */
  readonly citationRecall: number | null;
  readonly firstCitationRight: number | null;
  /** Of the sentences that the server compared with their sources. */
  readonly supportedSentences: number | null;
  /** Of those whose page is among the sources, or that say nothing of pages: what was stated holds what it is to hold. */
  readonly right: number | null;
  /** Of the same: something was stated, and does not hold it. */
  readonly wrong: number | null;
  /** Of those that a page answers: nothing was stated. */
  readonly refusedAnswerable: number | null;
  /** Of those that no page answers: nothing was stated. */
  readonly refusedUnanswerable: number | null;
}

export function measureAnswers(all: readonly GradedAnswer[]): AnswerMeasures {
  const answerable = all.filter((one) => one.answerable === true);
  const unanswerable = all.filter((one) => one.answerable === false);
  const found = answerable.filter(({ place }) => place !== null);
  const stated = answerable.filter((one) => one.stated);
  const judged = all.filter((one) => one.right !== null && (one.answerable === null || one.place !== null));
  const verified = all.flatMap((one) => one.verified ?? []);
  const sentences = sum(verified.map((one) => one.sentences));
  const citations = sum(stated.map(({ cited }) => cited.length));
  return {
    questions: all.length,
    hit1: share(answerable, ({ place }) => place === 1),
    hit5: share(answerable, ({ place }) => place !== null && place <= 5),
    found: share(answerable, ({ place }) => place !== null),
    mrr: ratio(sum(answerable.map(({ place }) => (place === null ? 0 : 1 / place))), answerable.length),
    citationPrecision: ratio(sum(stated.map(({ citedRight }) => citedRight)), citations),
    citationRecall: share(found, (one) => one.stated && one.citedRight > 0),
    firstCitationRight: share(answerable, (one) => one.firstCitedRight),
    supportedSentences: ratio(sentences - sum(verified.map((one) => one.unsupported)), sentences),
    right: share(judged, ({ right }) => right === true),
    wrong: share(judged, (one) => one.stated && one.right === false),
    refusedAnswerable: share(answerable, (one) => !one.stated),
    refusedUnanswerable: share(unanswerable, (one) => !one.stated),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
const share = (of: readonly GradedAnswer[], test: (one: GradedAnswer) => boolean): number | null =>
  ratio(of.filter(test).length, of.length);
