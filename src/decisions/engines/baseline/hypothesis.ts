import { splitName, tokenize } from '../../../kit/words.ts';
import type { Option } from '../../view.ts';
import type { Lexeme, Lexemes } from './lexeme.ts';
import { affirmations, denials, frames, remainders, topicCues } from './lexicon.ts';
import { normalise, withPolarity } from './material.ts';

/** What a question or an option holds to be so, ready to be compared with the state. */
export interface Hypothesis {
  readonly lexemes: readonly Lexeme[];
  /** Weight of each lexeme here, 0 to 1. */
  readonly weights: Float64Array;
  readonly negated: Uint8Array;
  readonly weight: number;
  readonly mean: Float64Array;
  readonly valence: number;
  readonly intensity: number;
  /** Whether it asks for the topic only ("is this about …"). */
  readonly topical: boolean;
  /** Whether a negation turns its content: "the customer is not angry". */
  readonly turned: boolean;
}

const frameFactor = 0.12;
/** Words read of one hypothesis: longer descriptions than this blur, and cost grows with them. */
const wordsMax = 160;

/** `factorOf` weighs a word by how it stands among the other options. */
export function toHypothesis(
  text: string,
  lexemes: Lexemes,
  factorOf: (lexeme: Lexeme) => number = () => 1,
): Hypothesis {
  const tokens = tokenize(text.slice(0, 16 * wordsMax)).slice(0, wordsMax);
  const words = withPolarity(tokens).map(({ token, negated }) => ({ lexeme: lexemes.of(token), negated }));
  const unique = new Map<string, { lexeme: Lexeme; negated: boolean; weight: number }>();
  const framed = words.some(({ lexeme }) => !frames.has(lexeme.text) && lexeme.weight > 0.2);
  for (const { lexeme, negated } of words) {
    const frame = framed && frames.has(lexeme.text) ? frameFactor : 1;
    const weight = lexeme.weight * frame * factorOf(lexeme);
    if (weight > 0) unique.set(`${negated ? '-' : '+'}${lexeme.text}`, { lexeme, negated, weight });
  }
  const entries = [...unique.values()];
  const mean = new Float64Array(lexemes.vectors.dimensions);
  for (const { lexeme, weight } of entries)
    if (lexeme.row >= 0) lexemes.vectors.addTo(mean, lexeme.row, weight);
  return {
    lexemes: entries.map(({ lexeme }) => lexeme),
    weights: Float64Array.from(entries, ({ weight }) => weight),
    negated: Uint8Array.from(entries, ({ negated }) => (negated ? 1 : 0)),
    weight: entries.reduce((sum, { weight }) => sum + weight, 0),
    mean: normalise(mean),
    // Without the negation: whether the hypothesis is turned is weighed apart.
    valence: Math.tanh(entries.reduce((sum, { lexeme }) => sum + lexeme.valence, 0)),
    intensity: Math.tanh(entries.reduce((sum, { lexeme }) => sum + lexeme.intensity, 0)),
    topical: tokens.some((token) => topicCues.has(token)),
    turned: entries.some(({ negated, weight }) => negated && weight > 0.2),
  };
}

/** Characters read of a name, so that a huge one costs no time. */
const nameCharsMax = 1024;

/** Text that an option of a choice or a score stands for. */
export function optionText(option: Option): string {
  const name = splitName(option.name.slice(0, nameCharsMax));
  return option.description === '' ? name : `${name}. ${option.description}`;
}

/** What an option's name alone makes it: "yes" and "no" answer the question, "other" takes what is left. */
export type Role = 'plain' | 'yes' | 'no' | 'remainder';

export function roleOf(option: Option): Role {
  const [first = '', ...rest] = tokenize(splitName(option.name.slice(0, nameCharsMax)));
  if (rest.length === 0 && affirmations.has(first)) return 'yes';
  if (rest.length === 0 && denials.has(first)) return 'no';
  return rest.length <= 3 && remainders.has(first) ? 'remainder' : 'plain';
}
