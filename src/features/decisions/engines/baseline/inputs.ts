import { tokenize } from '../../../../kernel/kit/words.ts';
import type { Option, NormalizedQuestion } from '../../normalized-question.ts';
import { agreementOfTurned, featuresOf, type FeatureRow, type Likenesses } from './features.ts';
import { optionText, roleOf, toHypothesis, type Hypothesis, type Role } from './hypothesis.ts';
import type { Lexeme, Lexemes } from './lexeme.ts';

/** What the readout needs of a noul. */
export interface NoulInput {
  /** Features of the statement, its negation taken off when `sign` is -1. */
  readonly row: FeatureRow;
  readonly sign: 1 | -1;
  readonly topical: boolean;
  /** Features of the two criteria where the caller described them. */
  readonly criteria: readonly [whenTrue: FeatureRow, whenFalse: FeatureRow] | null;
}

/** What the readout needs of one option of a choice or level of a score. */
export interface OptionInput {
  readonly role: Role;
  readonly row: FeatureRow;
  readonly valence: number;
  readonly intensity: number;
}

/** Reads a noul: the question is the statement, joined by what the caller says makes it true. */
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

/** Agreement above which a negation of the question is met by one of the state ("the card does not work"). */
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

/** Reads the options of a choice or a score, in the question's order. */
export function* optionInputs(
  question: NormalizedQuestion,
  lexemes: Lexemes,
  likenesses: Likenesses,
): Generator<void, readonly OptionInput[]> {
  const factorOf = rarityAmong(question.options, lexemes);
  const inputs: OptionInput[] = [];
  for (const option of question.options) {
    const hypothesis = toHypothesis(optionText(option), lexemes, factorOf);
    const row = yield* featuresOf(hypothesis, likenesses);
    const { valence, intensity } = hypothesis;
    inputs.push({ role: question.kind === 'choice' ? roleOf(option) : 'plain', row, valence, intensity });
    yield;
  }
  return inputs;
}

/** Words that many options share tell little about which one it is: 1 for a word of one option, towards 0. */
function rarityAmong(options: readonly Option[], lexemes: Lexemes): (lexeme: Lexeme) => number {
  const counts = new Map<number, number>();
  for (const option of options) {
    const tokens = tokenize(optionText(option).slice(0, 4096));
    for (const id of new Set(tokens.map((token) => lexemes.of(token).stemId))) {
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  const n = options.length;
  return ({ stemId }) => Math.log((n + 1) / (counts.get(stemId) ?? 1)) / Math.log(n + 1);
}
