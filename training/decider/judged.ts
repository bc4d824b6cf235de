import type { DataSet } from '../data.ts';
import { feelingExamples, noulExamples, wholeChoices, type Example } from '../examples.ts';
import { rankings } from '../ranking-messages.ts';
import { optionTexts } from '../../src/features/decisions/engines/onnx/texts.ts';
import { toPolarity } from '../../src/features/decisions/engines/encoder/polarity.ts';
import type { Claim, Origin } from './pools.ts';

/** A noul as the trained part reads it: `denied` turns the answer to `statement` round. */
type JudgedNoul = readonly [state: string, statement: string, denied: boolean, truth: number];

/** The rows of the note of 22 November: whole label sets, bare names. */
export const judgedChoices = (set: DataSet, step: number) => {
  const rows = wholeChoices(set, set.test, step);
  const options = rows.slice(0, 1).flatMap(({ question }) => optionTexts(question));
  return { name: set.name, options, rows: rows.map(({ state, right }) => [state, right] as const) };
};

/** "Is it about X", one in ten denied. */
export const judgedTopics = (set: DataSet, count: number) => ({
  name: set.name,
  rows: noulExamples(set, set.test, count, 41).map(toJudgedNoul),
});

/** Hand-written messages and statements that nothing is fitted on. */
export const judgedFeelings = () => ({ name: 'feelings', rows: feelingExamples(false).map(toJudgedNoul) });

export const judgedRankings = () =>
  rankings.map(({ name, question, levels, messages }) => ({
    name,
    options: levels.map((level) => `${question} ${level}`.trim()),
    rows: messages.map(({ text, place }) => [text, place] as const),
  }));

/** Questions and their opposites in other words, none of them trained on. */
export const judgedOpposites = [
  ['Is this review positive?', 'Is this review negative?'],
  ['The customer is satisfied.', 'The customer is dissatisfied.'],
  ['Is the tone friendly?', 'Is the tone hostile?'],
  ['The product works.', 'The product is broken.'],
] as const;

/** A question, its opposite, and its denial, which likeness alone can hardly tell from it. */
export const judgedWays = [
  'Is this review positive?',
  'Is this review negative?',
  'Is this review not positive?',
] as const;

/** The same questions on messages that are trained on; a denied one becomes the statement and its opposite truth. */
export const topicClaims = (set: DataSet, origin: Origin, count: number) => ({
  ...origin,
  name: `about-${set.name}`,
  claims: noulExamples(set, set.train, count, 43).map((example): Claim => {
    const [state, statement, denied, truth] = toJudgedNoul(example);
    return [state, statement, null, denied ? 1 - truth : truth];
  }),
});

function toJudgedNoul({ state, question, right }: Example): JudgedNoul {
  const { statement, denied } = toPolarity(question.question);
  return [state, statement, denied, right === 0 ? 1 : 0];
}
