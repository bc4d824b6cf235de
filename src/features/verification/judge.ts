import { align, type Alignment } from './alignment.ts';
import { stem } from '../../kernel/kit/stem.ts';
import { isJoining, isMet, toLexemes, type Lexeme } from './lexemes.ts';
import type { Rarity, ReadPassage } from './passages.ts';
import { toPlain, toQuoteKey } from './plain-text.ts';

/** Why a sentence is not taken for supported; empty where it only has too little of what the passages say. */
export type Reason = 'number' | 'date' | 'name' | 'denial' | 'words' | 'meaning';

/** What is known of a sentence before a decider is asked. */
export interface Reading {
  readonly cited: readonly ReadPassage[];
  /** The sentence stands in a passage as it is, or only names it. */
  readonly isQuote: boolean;
  /** Without markup. */
  readonly plain: string;
  readonly alignment: Alignment | null;
}

export interface Judgement {
  /** That the passages support the sentence, in [0, 1]. */
  readonly probability: number;
  readonly isSupported: boolean;
  readonly reasons: readonly Reason[];
}

/** Words that point to a source and say nothing of it. */
const pointing = new Set(
  ['closest', 'section', 'see', 'sourc', 'page', 'read'].flatMap((word) => [word, stem(word)]),
);
const ofSources = /\b(?:sources?|search results?|passages?)\b/i;

/**
 * Reads a sentence against the passages that it cites; `rarity` is of their words. Null for one that says what sources
 * do not say, which no place of them could show.
 */
export function readSentence(
  sentence: string,
  cited: readonly ReadPassage[],
  rarity: () => Rarity,
): Reading | null {
  const plain = toPlain(sentence);
  const key = ` ${toQuoteKey(sentence)} `;
  const lexemes = toLexemes(plain);
  if (ofSources.test(plain) && lexemes.some(({ kind }) => kind === 'denial')) return null;
  const isNamed = (lexeme: Lexeme) =>
    lexeme.keys.some((one) => pointing.has(one) || isJoining(one)) ||
    cited.some(({ headings }) => isMet(lexeme, headings));
  const isQuote = cited.some(({ quoteKey }) => quoteKey.includes(key)) || lexemes.every(isNamed);
  return { cited, isQuote, plain, alignment: isQuote ? null : align(lexemes, cited, rarity()) };
}

/** Least probability of what is supported. */
const supportedMin = 0.5;
/** Set by hand on one half of the pages of `test/verification`, beside a logistic fit that found the same signs. */
const constants = {
  bias: -4.2,
  covered: 3,
  around: 6,
  missing: -4,
  elsewhere: -3,
  replaced: -6,
  denied: -6,
  uneven: -1,
  decider: 0.3,
} as const;

/** Whether a decider could change what is found. */
export function isOpen(reading: Reading): boolean {
  const [least, most] = [judge(reading, 0), judge(reading, 1)];
  return least.isSupported !== most.isSupported;
}

/** `decided` is the decider's probability that the place says it; null where it was not asked. */
export function judge({ isQuote, alignment }: Reading, decided: number | null): Judgement {
  if (isQuote) return { probability: 1, isSupported: true, reasons: [] };
  if (alignment === null || alignment.unit === null)
    return { probability: 0, isSupported: false, reasons: ['words'] };
  const { covered, coveredAround, missing, elsewhere, replaced, isDenied, isUneven } = alignment;
  const { bias, ...weights } = constants;
  const sum =
    bias +
    weights.covered * covered +
    weights.around * coveredAround +
    weights.missing * missing.length +
    weights.elsewhere * elsewhere.length +
    weights.replaced * Math.min(1, replaced.length) +
    (isDenied ? weights.denied : 0) +
    (isUneven ? weights.uneven : 0) +
    (decided === null ? 0 : weights.decider * logit(decided));
  const probability = 1 / (1 + Math.exp(-sum));
  const isSupported = probability >= supportedMin && !missing.some(({ kind }) => kind !== 'name');
  return { probability, isSupported, reasons: isSupported ? [] : reasonsOf(alignment) };
}

function reasonsOf({ missing, elsewhere, replaced, isDenied, coveredAround }: Alignment): readonly Reason[] {
  const kinds = new Set([...missing, ...elsewhere, ...replaced].map(({ kind }) => kind));
  const reasons: Reason[] = (['number', 'date', 'name'] as const).filter((kind) => kinds.has(kind));
  if (isDenied) reasons.push('denial');
  if (coveredAround < 0.6) reasons.push('words');
  return reasons.length === 0 ? ['meaning'] : reasons;
}

const logit = (probability: number): number => {
  const within = Math.min(0.999, Math.max(0.001, probability));
  return Math.log(within / (1 - within));
};
