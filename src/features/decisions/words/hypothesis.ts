import { preparedFor } from '../../../kernel/kit/prepared.ts';
import { splitName, tokenize } from '../../../kernel/kit/words.ts';
import type { Option } from '../engine.ts';
import type { Lexeme, Lexemes } from './lexeme.ts';
import type { Usual } from './vocabulary.ts';
import { affirmations, denials, frames, negators, remainders, topicCues } from './lexicon.ts';
import { addUnit, withPolarity, type Passage } from './analyzed-state.ts';
import { toUnit } from './metric.ts';

/** The claim of a question or an option, prepared for comparison with the state. */
export interface Hypothesis extends Omit<Passage, 'ids' | 'usual'> {
  readonly lexemes: readonly Lexeme[];
  /** Weight of each lexeme here, 0 to 1. */
  readonly weights: Float64Array;
  /** How near it is to usual messages. */
  readonly usual: Usual;
  /** Whether it asks for the topic only ("is this about …"). */
  readonly topical: boolean;
  /** Whether it denies the topic: "this is not about …". Its negation is left out of the lexemes. */
  readonly denied: boolean;
  /** Whether its content is negated: "the customer is not angry". */
  readonly turned: boolean;
}

const frameFactor = 0.12;
/** Most words read of one hypothesis. Longer descriptions blur its meaning and cost more. */
const wordsMax = 160;

/** Prepares a text. */
export const toHypothesis = (text: string, lexemes: Lexemes): Hypothesis =>
  weigh(readClaim(text), lexemes, () => 1);

/** The same of an option. `factorOf` is the factor on the weight of a word, by its rarity among the options. */
export const optionHypothesis = (
  option: Option,
  lexemes: Lexemes,
  factorOf: (lexeme: Lexeme) => number,
): Hypothesis => weigh(readOption(option).claim, lexemes, factorOf);

function weigh(
  { words: read, topical, denied }: Claim,
  lexemes: Lexemes,
  factorOf: (lexeme: Lexeme) => number,
): Hypothesis {
  const words = read.map(({ token, negated }) => ({ lexeme: lexemes.of(token), negated }));
  const unique = new Map<string, { lexeme: Lexeme; negated: boolean; weight: number }>();
  const framed = words.some(({ lexeme }) => says(lexeme));
  for (const { lexeme, negated } of words) {
    const frame = framed && frames.has(lexeme.text) ? frameFactor : 1;
    const weight = lexeme.weight * frame * factorOf(lexeme);
    if (weight > 0) unique.set(`${negated ? '-' : '+'}${lexeme.text}`, { lexeme, negated, weight });
  }
  const entries = [...unique.values()];
  const mean = new Float64Array(lexemes.dimensions);
  for (const { lexeme, weight } of entries) addUnit(mean, lexeme, weight);
  toUnit(mean);
  return {
    lexemes: entries.map(({ lexeme }) => lexeme),
    weights: Float64Array.from(entries, ({ weight }) => weight),
    negated: Uint8Array.from(entries, ({ negated }) => (negated ? 1 : 0)),
    weight: entries.reduce((sum, { weight }) => sum + weight, 0),
    mean,
    usual: lexemes.usualOf(mean),
    // Without the negation, which is weighed separately.
    valence: Math.tanh(entries.reduce((sum, { lexeme }) => sum + lexeme.valence, 0)),
    intensity: Math.tanh(entries.reduce((sum, { lexeme }) => sum + lexeme.intensity, 0)),
    topical,
    denied,
    turned: !topical && entries.some(({ negated, lexeme }) => negated && says(lexeme)),
  };
}

/** The words of a text with their polarity, without a denied topic's negation. */
interface Claim extends Pick<Hypothesis, 'topical' | 'denied'> {
  readonly words: readonly { readonly token: string; readonly negated: boolean }[];
}

function readClaim(text: string): Claim {
  const { tokens, ...claim } = readDenial(tokenize(text.slice(0, 16 * wordsMax)).slice(0, wordsMax));
  return { ...claim, words: withPolarity(tokens) };
}

/** A negation before "about" denies the topic; one after it belongs to the topic ("about a card not working"). */
function readDenial(tokens: readonly string[]): {
  readonly tokens: readonly string[];
  readonly topical: boolean;
  readonly denied: boolean;
} {
  const cue = tokens.findIndex((token) => topicCues.has(token));
  const denied = tokens.slice(0, Math.max(0, cue)).some((token) => negators.has(token));
  return {
    tokens: denied ? tokens.filter((token, i) => i > cue || !negators.has(token)) : tokens,
    topical: cue >= 0,
    denied,
  };
}

/** Whether a word is part of the content and not of the frame around it. */
function says({ text, plainWeight }: Lexeme): boolean {
  return plainWeight > 0.2 && !frames.has(text);
}

/** Most characters read of a name, which bounds the time for a huge one. */
const nameCharsMax = 1024;
/** Most characters of an option whose words are counted among the others'. */
const countedCharsMax = 4096;

/** Role of an option by its name: "yes" and "no" answer the question, "other" covers the remainder. */
export type Role = 'plain' | 'yes' | 'no' | 'remainder';

/** What an option says by itself, read once for all states that it is asked about. */
const readOption = preparedFor(({ name, description }: Option) => {
  const said = splitName(name.slice(0, nameCharsMax));
  const text = description === '' ? said : `${said}. ${description}`;
  const words = new Set(tokenize(text.slice(0, countedCharsMax)));
  return { text, words, claim: readClaim(text), role: readRole(tokenize(said)) };
});

export const optionText = (option: Option): string => readOption(option).text;
export const roleOf = (option: Option): Role => readOption(option).role;
/** Its words, each once. */
export const optionWords = (option: Option): ReadonlySet<string> => readOption(option).words;

function readRole([first = '', ...rest]: readonly string[]): Role {
  if (rest.length === 0 && affirmations.has(first)) return 'yes';
  if (rest.length === 0 && denials.has(first)) return 'no';
  return rest.length <= 3 && remainders.has(first) ? 'remainder' : 'plain';
}
