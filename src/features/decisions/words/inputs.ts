import type { Option, NormalizedQuestion } from '../engine.ts';
import { agreementOfTurned, featuresOf, type FeatureRow, type Likenesses } from './features.ts';
import {
  optionHypothesis,
  optionWords,
  roleOf,
  toHypothesis,
  type Hypothesis,
  type Role,
} from './hypothesis.ts';
import type { Lexeme, Lexemes } from './lexeme.ts';

/** Inputs of the readout for a noul. */
export interface NoulInput {
  /** Features of the statement, without its negation when `sign` is -1. */
  readonly row: FeatureRow;
  readonly sign: 1 | -1;
  readonly topical: boolean;
  /** Features of the two criteria; null when the caller did not describe what makes it false. */
  readonly criteria: readonly [whenTrue: FeatureRow, whenFalse: FeatureRow] | null;
}

/** Inputs of the readout for one option of a choice or one level of a score. */
export interface OptionInput {
  readonly role: Role;
  readonly row: FeatureRow;
  readonly valence: number;
  readonly intensity: number;
}

/** Inputs for a noul. Its statement is the question together with the description of "true". */
export function* noulInput(
  question: NormalizedQuestion,
  lexemes: Lexemes,
  likenesses: Likenesses,
): Generator<void, NoulInput> {
  const whenTrue = question.options.find(({ name }) => name === 'true')?.description ?? '';
  const whenFalse = question.options.find(({ name }) => name === 'false')?.description ?? '';
  const statement = toHypothesis(
    [question.question, whenTrue].filter((text) => text !== '').join(' . '),
    lexemes,
  );
  const { row, sign } = yield* signed(statement, likenesses);
  if (whenFalse === '') return { row, sign, topical: statement.topical, criteria: null };
  const holds = toHypothesis(whenTrue === '' ? question.question : whenTrue, lexemes);
  const fails = toHypothesis(whenFalse, lexemes);
  const criteria = [yield* featuresOf(holds, likenesses), yield* featuresOf(fails, likenesses)] as const;
  return { row, sign, topical: statement.topical, criteria };
}

/** Agreement above which the state has the same negation as the question ("the card does not work"). */
const metNegation = 0.15;

function* signed(
  statement: Hypothesis,
  likenesses: Likenesses,
): Generator<void, { row: FeatureRow; sign: 1 | -1 }> {
  if (!statement.turned) {
    return { row: yield* featuresOf(statement, likenesses), sign: statement.denied ? -1 : 1 };
  }
  if ((yield* agreementOfTurned(statement, likenesses)) > metNegation) {
    return { row: yield* featuresOf(statement, likenesses), sign: 1 };
  }
  const affirmed = { ...statement, negated: new Uint8Array(statement.negated.length) };
  return { row: yield* featuresOf(affirmed, likenesses), sign: -1 };
}

/** Inputs for the options of a choice or a score, in the order of the question. */
export function* optionInputs(
  question: NormalizedQuestion,
  lexemes: Lexemes,
  likenesses: Likenesses,
): Generator<void, readonly OptionInput[]> {
  const factorOf = rarityAmong(question.options, lexemes);
  const inputs: OptionInput[] = [];
  for (const option of question.options) {
    const hypothesis = optionHypothesis(option, lexemes, factorOf);
    const row = yield* featuresOf(hypothesis, likenesses);
    const { valence, intensity } = hypothesis;
    inputs.push({ role: question.kind === 'choice' ? roleOf(option) : 'plain', row, valence, intensity });
    yield;
  }
  return inputs;
}

/** Weight of a word by the number of options that share it: 1 for a word of one option, near 0 for one of all. */
function rarityAmong(options: readonly Option[], lexemes: Lexemes): (lexeme: Lexeme) => number {
  const counts = new Map<number, number>();
  for (const option of options) {
    const ids = Array.from(optionWords(option), (word) => lexemes.of(word).stemId);
    for (const id of new Set(ids)) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const n = options.length;
  return ({ stemId }) => Math.log((n + 1) / (counts.get(stemId) ?? 1)) / Math.log(n + 1);
}
