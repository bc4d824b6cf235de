import type { Distribution } from '../../engine.ts';
import { labelTexts } from '../../question-prompt.ts';

/** Label of an option, with every token that stands for it. */
export interface Label {
  readonly text: string;
  /** Token ids, with and without a leading space; empty where the tokenizer is not known. */
  readonly ids: readonly number[];
}

/** A token that a server lists as a possible next one. */
export interface Candidate {
  /** The token as text, decoded as far as the server does. */
  readonly text: string;
  readonly id: number | null;
  readonly logprob: number;
}

/** Letters are single tokens in every tokenizer seen; pairs need a request to the tokenizer. */
export const letterLabels: readonly Label[] = labelTexts.slice(0, 26).map((text) => ({ text, ids: [] }));

/**
 * Finds the label that a token stands for: by id, else by its text without the space or line break in front. A
 * lower-case letter is taken for its label; lower-case pairs are not, because `is`, `no` and `as` are words.
 */
export function createMatcher(labels: readonly Label[]): (candidate: Candidate) => number | undefined {
  const byId = new Map<number, number>();
  const byText = new Map<string, number>();
  for (const [index, { text, ids }] of labels.entries()) {
    byText.set(text, index);
    if (text.length === 1) byText.set(text.toLowerCase(), index);
    for (const id of ids) byId.set(id, index);
  }
  return ({ id, text }) => (id === null ? undefined : byId.get(id)) ?? byText.get(text.trim());
}

/** Marks of a leading space (SentencePiece, byte-level BPE) and of a line break that some servers do not decode. */
const rawMarks = /^[\u2581\u0120\u010a\s]+/u;
const escapedByte = /<0x([0-9a-f]{2})>|\\x([0-9a-f]{2})/giu;

/**
 * Text of a token. Its bytes are preferred to its text, because servers replace invalid UTF-8. Raw forms (`▁A`, `ĠA`,
 * `<0x41>`, `bytes:\x41`) are decoded.
 */
export function tokenText(token: string, bytes: readonly number[] | null): string {
  const raw = bytes !== null && bytes.length > 0 ? Buffer.from(bytes).toString('utf8') : token;
  return raw
    .replace(/^bytes:/u, '')
    .replaceAll(escapedByte, (_, a: string | undefined, b: string | undefined) =>
      String.fromCharCode(Number.parseInt(a ?? b ?? '', 16)),
    )
    .replace(rawMarks, ' ');
}

/** Probabilities of the labels at the answer position. */
export interface Readout {
  /** One per label. A label that was not listed gets its upper bound, the smallest listed probability. Never 0. */
  readonly weights: readonly number[];
  /** Tokens listed with a probability, labels or not. */
  readonly listed: number;
  readonly missing: number;
  /** Share of the whole distribution that fell on labels. */
  readonly mass: number;
}

/** Servers write lower values for "not listed" and for minus infinity. */
const absent = -9998;
/** Rounding can put a certain token slightly above 0; a larger value is no logarithm of a probability. */
const roundingMax = 0.01;
const weightMin = 1e-300;

/** Reads the labels out of the listed tokens. Several tokens of one label (`A`, ` A`) add up. */
export function readLabels(candidates: readonly Candidate[], labels: readonly Label[]): Readout {
  const match = createMatcher(labels);
  const sums = labels.map(() => 0);
  let floor = 1;
  let listed = 0;
  for (const candidate of candidates) {
    const { logprob } = candidate;
    if (!(logprob > absent && logprob <= roundingMax)) continue;
    const p = Math.max(weightMin, Math.exp(Math.min(0, logprob)));
    floor = Math.min(floor, p);
    listed++;
    const index = match(candidate);
    if (index !== undefined) sums[index] = (sums[index] ?? 0) + p;
  }
  return {
    weights: sums.map((sum) => (sum > 0 ? sum : floor)),
    listed,
    missing: sums.filter((sum) => sum === 0).length,
    mass: Math.min(
      1,
      sums.reduce((total, sum) => total + sum, 0),
    ),
  };
}

/** Summed by size, so that the order of the options does not reach the last bit. */
export function toDistribution(weights: readonly number[]): Distribution {
  const total = weights.toSorted((a, b) => a - b).reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}
