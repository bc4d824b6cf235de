import { createHash } from 'node:crypto';
import { confidenceOf } from './answer.ts';
import type { Distribution, NormalizedQuestion } from './engine.ts';
import type { Fingerprint } from './fingerprint.ts';
import { canonicalOrder, reorder } from './order.ts';

/** Confidence below which an answer is abstained from, in [0,1]; null where none is enough. */
export type Threshold = number | null;

/** Thresholds by kind that somebody chose. */
export type Confidences = Readonly<Partial<Record<NormalizedQuestion['kind'], number>>>;

/** The same as somebody may write them. */
type GivenConfidences = {
  readonly [Kind in NormalizedQuestion['kind']]?: number | null | undefined;
};

/** Thresholds of questions. One without any is always answered. */
export interface Thresholds {
  readonly byKind: Readonly<Partial<Record<NormalizedQuestion['kind'], Threshold>>>;
  /** By `questionKey`; they stand over those of the kind. */
  readonly byQuestion: Readonly<Record<string, Threshold>>;
}

/** What a fit saw of coverage and error: of so many rows as many were answered at each threshold, and as many of them wrong. */
export interface KeptCurve {
  readonly rows: number;
  /** From the strictest threshold on. */
  readonly points: readonly (readonly [answered: number, errors: number])[];
  /** At the thresholds that were found; null where none keep to the bound. */
  readonly found: readonly [answered: number, errors: number] | null;
}

/** Thresholds at which the error of what is answered stays under a bound. */
export interface Guarantee {
  /** Bound on the share of wrong answers among those that are given. */
  readonly maxError: number;
  /** Probability with which the bound holds, over the draw of the examples. */
  readonly confidence: number;
  /** Engine or decider that gave the answers of the fit, by its name, and the version of what it was asked with. */
  readonly engine: string;
  readonly promptVersion: number;
  /** What those answers depended on; absent in files that do not say it, which hold for nothing. */
  readonly fingerprint?: Fingerprint;
  /** Those of each decider of a cascade, in order, or those of the one that there is. */
  readonly thresholds: Thresholds | readonly Thresholds[];
  /** Absent in files of earlier versions. */
  readonly curves?: Readonly<Partial<Record<NormalizedQuestion['kind'], KeptCurve>>>;
}

/** The same for a question however its options are ordered, whatever its name in a request. With other examples it is another. */
export function questionKey(question: NormalizedQuestion): string {
  const { kind, question: text, options, examples } = reorder(question, canonicalOrder(question));
  const known = examples === undefined ? [] : [examples.map((one) => [one.text, one.answer])];
  const said = [kind, text, options.map(({ name, description }) => [name, description]), ...known];
  return createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 32);
}

/** Whether an answer is confident enough to be given. One that has no alternative always is. */
export function isGiven(
  { byKind, byQuestion }: Thresholds,
  question: NormalizedQuestion,
  distribution: Distribution,
): boolean {
  if (distribution.length === 1) return true;
  const threshold = ownOf(byQuestion, question, byKind[question.kind]);
  if (threshold === undefined) return true;
  return threshold !== null && confidenceOf(question.kind, distribution) >= threshold;
}

/** A key is a hash, which most policies can do without. */
function ownOf(
  byQuestion: Thresholds['byQuestion'],
  question: NormalizedQuestion,
  otherwise: Threshold | undefined,
): Threshold | undefined {
  if (Object.keys(byQuestion).length === 0) return otherwise;
  const key = questionKey(question);
  return Object.hasOwn(byQuestion, key) ? byQuestion[key] : otherwise;
}

/** Thresholds by kind of one number, which stands for every kind, or of numbers by kind; 0 and null are none. */
export function toConfidences(given: number | GivenConfidences): Confidences {
  const { noul, choice, score } =
    typeof given === 'number' ? { noul: given, choice: given, score: given } : given;
  return { ...(noul && { noul }), ...(choice && { choice }), ...(score && { score }) };
}
