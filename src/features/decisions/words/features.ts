import type { Hypothesis } from './hypothesis.ts';
import { likeness, type Lexeme } from './lexeme.ts';
import type { AnalyzedState, Passage } from './analyzed-state.ts';

/** Names of the numbers in a feature row, in order. Each is roughly 0 to 1. */
export const featureNames = [
  'recall', // the hypothesis's words found in the state, by likeness
  'recallSharp', // the same, only close matches counting
  'recallExact', // the same, only equal stems counting
  'precision', // the state's words found in the hypothesis
  'precisionSharp',
  'precisionExact',
  'meanCosine', // cosine of the weighted mean vectors
  'best', // the weightiest close match
  'worst', // the least matched weighty word
  'evidence', // sum of close matches, so that more matched words say more
  'mismatch', // matched words whose polarity differs
  'feelingAgreement', // product of the valences
  'feelingPresent', // strength of the hypothesis's valence
  'intensityAgreement', // product of the intensities, where the hypothesis has any
  'intensityPresent',
  'brevity', // 1 / number of words of the hypothesis
  'usualNear', // how near the hypothesis is to usual messages: one that fits everything says little
  'usualMean', // how near it is to all of them
  'stateUsual', // how near the state is to usual messages
] as const;

export type FeatureRow = Float64Array;

/** Likenesses computed for one call, cached by word because questions share words. */
export interface Likenesses {
  readonly state: AnalyzedState;
  /** Likeness of a word to each lexeme of the state. */
  rowOf(lexeme: Lexeme): Generator<void, Float32Array>;
  /** Greatest likeness of a word in each passage. */
  peaksOf(lexeme: Lexeme): Generator<void, Float32Array>;
}

/** Most numbers cached, 4 bytes each. A full cache is emptied; answers do not depend on it. */
const keptMax = 6_000_000;
/** Likenesses computed between two yields; about 0.3 ms. */
const stretch = 2048;

export function createLikenesses(state: AnalyzedState): Likenesses {
  const rows = new Map<string, Float32Array>();
  const peaks = new Map<string, Float32Array>();
  const rowsMax = Math.max(16, Math.floor(keptMax / (state.lexemes.length + 1)));
  const peaksMax = Math.max(16, Math.floor(keptMax / (state.passages.length + 1)));
  function* rowOf(lexeme: Lexeme): Generator<void, Float32Array> {
    const kept = rows.get(lexeme.text);
    if (kept !== undefined) return kept;
    const row = new Float32Array(state.lexemes.length);
    for (const [i, other] of state.lexemes.entries()) {
      row[i] = likeness(lexeme, other);
      if (i % stretch === stretch - 1) yield;
    }
    if (rows.size >= rowsMax) rows.clear();
    rows.set(lexeme.text, row);
    return row;
  }
  function* peaksOf(lexeme: Lexeme): Generator<void, Float32Array> {
    const kept = peaks.get(lexeme.text);
    if (kept !== undefined) return kept;
    const row = yield* rowOf(lexeme);
    const found = Float32Array.from(state.passages, (passage) => peak(row, passage.ids));
    yield;
    if (peaks.size >= peaksMax) peaks.clear();
    peaks.set(lexeme.text, found);
    return found;
  }
  return { state, rowOf, peaksOf };
}

function peak(row: Float32Array, ids: Int32Array): number {
  let best = 0;
  for (const id of ids) best = Math.max(best, row[id] ?? 0);
  return best;
}

/** The passage that matches the hypothesis best; of equal ones the first. */
function* bestPassage(hypothesis: Hypothesis, likenesses: Likenesses): Generator<void, Passage> {
  const { passages } = likenesses.state;
  const sums = new Float64Array(passages.length);
  if (passages.length > 1) {
    for (const [h, lexeme] of hypothesis.lexemes.entries()) {
      const peaks = yield* likenesses.peaksOf(lexeme);
      const weight = hypothesis.weights[h] ?? 0;
      for (let p = 0; p < sums.length; p++) sums[p] = (sums[p] ?? 0) + weight * sharpen(peaks[p] ?? 0);
    }
  }
  let best = 0;
  for (let p = 1; p < sums.length; p++) if ((sums[p] ?? 0) > (sums[best] ?? 0)) best = p;
  const passage = passages[best];
  if (passage === undefined) throw new RangeError('an analyzed state has at least one passage');
  return passage;
}

/** Feature row of a hypothesis against the passage of the state that matches it best. */
export function* featuresOf(hypothesis: Hypothesis, likenesses: Likenesses): Generator<void, FeatureRow> {
  const passage = yield* bestPassage(hypothesis, likenesses);
  const rows: Float32Array[] = [];
  for (const lexeme of hypothesis.lexemes) rows.push(yield* likenesses.rowOf(lexeme));
  return compare(hypothesis, passage, rows, likenesses.state.lexemes);
}

/**
 * How far the negated words of a hypothesis meet negated words in the state: from -1 (met affirmed) through 0
 * (not met) to 1 (met negated).
 */
export function* agreementOfTurned(hypothesis: Hypothesis, likenesses: Likenesses): Generator<void, number> {
  const passage = yield* bestPassage(hypothesis, likenesses);
  const back = new Float32Array(passage.ids.length);
  let [sum, all] = [0, 1e-9];
  for (const [h, lexeme] of hypothesis.lexemes.entries()) {
    if (hypothesis.negated[h] !== 1) continue;
    const weight = hypothesis.weights[h] ?? 0;
    const found = match(yield* likenesses.rowOf(lexeme), passage, 1, back);
    sum += weight * sharpen(found.likeness) * (found.agrees ? 1 : -1);
    all += weight;
  }
  return sum / all;
}

/** Unrelated words reach a cosine of 0.3 by chance, so only the part above it counts. */
function sharpen(likeness: number): number {
  return likeness <= 0.3 ? 0 : ((likeness - 0.3) / 0.7) ** 2;
}

const exact = 0.94;

function compare(
  hypothesis: Hypothesis,
  passage: Passage,
  rows: readonly Float32Array[],
  lexemes: readonly Lexeme[],
): FeatureRow {
  const back = new Float32Array(passage.ids.length);
  const there = { recall: 0, sharp: 0, exact: 0, best: 0, worst: 1, mismatch: 0 };
  for (const [h, row] of rows.entries()) {
    const weight = hypothesis.weights[h] ?? 0;
    const found = match(row, passage, hypothesis.negated[h] ?? 0, back);
    const sharp = sharpen(found.likeness);
    there.recall += weight * found.likeness;
    there.sharp += weight * sharp;
    if (found.likeness > exact) there.exact += weight;
    there.best = Math.max(there.best, weight * sharp);
    if ((hypothesis.lexemes[h]?.plainWeight ?? 0) > 0.3) there.worst = Math.min(there.worst, found.likeness);
    if (!found.agrees) there.mismatch += weight * sharp;
  }
  const from = { precision: 0, sharp: 0, exact: 0 };
  for (const [i, id] of passage.ids.entries()) {
    const weight = lexemes[id]?.stateWeight ?? 0;
    const likeness = back[i] ?? 0;
    from.precision += weight * likeness;
    from.sharp += weight * sharpen(likeness);
    if (likeness > exact) from.exact += weight;
  }
  const [all, whole] = [Math.max(hypothesis.weight, 1e-9), Math.max(passage.weight, 1e-9)];
  return Float64Array.of(
    there.recall / all,
    there.sharp / all,
    there.exact / all,
    from.precision / whole,
    from.sharp / whole,
    from.exact / whole,
    dot(hypothesis.mean, passage.mean),
    there.best,
    rows.length === 0 ? 0 : there.worst,
    Math.log1p(there.sharp),
    there.mismatch / all,
    hypothesis.valence * passage.valence,
    Math.abs(hypothesis.valence),
    Math.max(0, hypothesis.intensity) * passage.intensity,
    Math.max(0, hypothesis.intensity),
    1 / (1 + rows.length),
    hypothesis.usual.near,
    hypothesis.usual.mean,
    passage.usual,
  );
}

/** Best match of one word; `back` keeps the best match of each of the passage's words. */
function match(
  row: Float32Array,
  passage: Passage,
  negated: number,
  back: Float32Array,
): { likeness: number; agrees: boolean } {
  let [best, agrees] = [0, true];
  for (let i = 0; i < back.length; i++) {
    const likeness = row[passage.ids[i] ?? 0] ?? 0;
    if (likeness > (back[i] ?? 0)) back[i] = likeness;
    if (likeness > best) [best, agrees] = [likeness, passage.negated[i] === negated];
    else if (likeness === best && passage.negated[i] === negated) agrees = true;
  }
  return { likeness: best, agrees };
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
