import { preparedFor } from '../../../kernel/kit/prepared.ts';
import { lazily } from '../rules/reading.ts';
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
import type { Vocabulary } from './vocabulary.ts';

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

/** What of a question claims something. */
type Claiming = Option | 'statement' | 'true' | 'false';

/**
 * What a question claims is the same for every state, and kept as long as the question: rows of a batch and of a fit ask one. With 77
 * options a row takes 1.5 ms instead of 3.8.
 */
const claimsOf = preparedFor((_vocabulary: Vocabulary) =>
  preparedFor((_question: NormalizedQuestion) => new Map<Claiming, Hypothesis>()),
);

/** Takes a claim of a question from those that are kept, or makes it. */
function openClaims(question: NormalizedQuestion, { vocabulary }: Lexemes) {
  const claims = claimsOf(vocabulary)(question);
  return (by: Claiming, make: () => Hypothesis): Hypothesis => {
    const known = claims.get(by);
    if (known !== undefined) return known;
    const made = make();
    claims.set(by, made);
    return made;
  };
}

/** Inputs for a noul. Its statement is the question together with the description of "true". */
export function* noulInput(
  question: NormalizedQuestion,
  lexemes: Lexemes,
  likenesses: Likenesses,
): Generator<void, NoulInput> {
  const whenTrue = question.options.find(({ name }) => name === 'true')?.description ?? '';
  const whenFalse = question.options.find(({ name }) => name === 'false')?.description ?? '';
  const claim = openClaims(question, lexemes);
  const said = [question.question, whenTrue].filter((text) => text !== '').join(' . ');
  const statement = claim('statement', () => toHypothesis(said === '' ? whenFalse : said, lexemes));
  const { row, sign } = yield* signed(statement, likenesses);
  // Where nobody said what yes means, it is that no does not hold.
  if (said === '') return { row, sign: sign === 1 ? -1 : 1, topical: statement.topical, criteria: null };
  if (whenFalse === '') return { row, sign, topical: statement.topical, criteria: null };
  const holds = claim('true', () => toHypothesis(whenTrue === '' ? question.question : whenTrue, lexemes));
  const fails = claim('false', () => toHypothesis(whenFalse, lexemes));
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
  const claim = openClaims(question, lexemes);
  const factorOf = lazily(() => rarityAmong(question.options, lexemes));
  const inputs: OptionInput[] = [];
  for (const option of question.options) {
    const hypothesis = claim(option, () => optionHypothesis(option, lexemes, factorOf()));
    const row = yield* featuresOf(hypothesis, likenesses);
    const { valence, intensity } = hypothesis;
    inputs.push({ role: question.kind === 'choice' ? roleOf(option) : 'plain', row, valence, intensity });
    yield;
  }
  return inputs;
}

/** Weight of a word by the number of options that share it: 1 for a word of one option, near 0 for one of all. */
function rarityAmong(options: readonly Option[], lexemes: Lexemes): (lexeme: Lexeme) => number {
  const counts = new Map<string, number>();
  for (const option of options) {
    const stems = Array.from(optionWords(option), (word) => lexemes.of(word).stem);
    for (const stem of new Set(stems)) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  }
  const n = options.length;
  return ({ stem }) => Math.log((n + 1) / (counts.get(stem) ?? 1)) / Math.log(n + 1);
}
