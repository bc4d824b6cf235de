import type { Side, Space } from './metric-space.ts';
import type { Bag } from './vocabulary.ts';

/** A bag inside of a space. */
interface Text {
  readonly at: Int32Array;
  readonly factors: readonly number[];
  readonly side: Side;
  readonly weight: number;
  /** Length of the weighted sum of the units. */
  readonly length: number;
}

/** Shares of mean cosine, recall and precision in the score of a pair. */
export type Mix = readonly [number, number, number];

/**
 * Softmax loss of pairing each of `left` with its own of `right` among all of `right`: the same mean cosine and
 * alignment both ways that the engine's features hold. Leaves slopes on the space and adds those of the mix.
 */
export function pairingLoss(
  space: Space,
  left: readonly Bag[],
  right: readonly Bag[],
  side: Side,
  own: readonly number[],
  mix: Mix,
  mixSlopes: Float64Array,
): number {
  const lefts = left.map((bag) => toText(bag, 'state', space));
  const rights = right.map((bag) => toText(bag, side, space));
  let loss = 0;
  lefts.forEach((text, l) => {
    const pairs = rights.map((other) => compare(space, text, other));
    const scores = pairs.map(({ parts }) => parts.reduce((sum, x, i) => sum + x * (mix[i] ?? 0), 0));
    const greatest = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(score - greatest));
    const total = powers.reduce((a, b) => a + b, 0);
    loss -= Math.log(Math.max(1e-12, (powers[own[l] ?? 0] ?? 0) / total)) / left.length;
    pairs.forEach((pair, r) => {
      const other = rights[r];
      const slope = ((powers[r] ?? 0) / total - (r === own[l] ? 1 : 0)) / left.length;
      if (other === undefined || Math.abs(slope) < 1e-7) return;
      pair.parts.forEach((x, i) => (mixSlopes[i] = (mixSlopes[i] ?? 0) + slope * x));
      carryCosine(space, text, other, pair.parts[0], slope * mix[0]);
      carryCover(space, other, pair.recall, pair.parts[1], slope * mix[1]);
      carryCover(space, text, pair.precision, pair.parts[2], slope * mix[2]);
    });
  });
  return loss;
}

function toText({ words, factors }: Bag, side: Side, space: Space): Text {
  const at = Int32Array.from(words, (word) => space.indexOf.get(word) ?? 0);
  const count = space.words.length;
  let [weight, squares] = [1e-6, 1e-12];
  at.forEach((a, i) => {
    const wa = weightAt(space, side, a, factors, i);
    weight += wa;
    at.forEach((b, j) => {
      squares += wa * weightAt(space, side, b, factors, j) * (space.cosines[a * count + b] ?? 0);
    });
  });
  return { at, factors, side, weight, length: Math.sqrt(Math.max(1e-12, squares)) };
}

function weightAt(space: Space, side: Side, word: number, factors: readonly number[], i: number): number {
  return (space.weights[side][word] ?? 0) * (factors[i] ?? 1);
}

/** Per word of a text, the word of the other that it meets best; -1 where the two share a stem. */
interface Cover {
  readonly best: Int32Array;
  readonly likeness: Float64Array;
}

interface Pair {
  readonly parts: readonly [cosine: number, recall: number, precision: number];
  readonly recall: Cover;
  readonly precision: Cover;
}

function compare(space: Space, a: Text, b: Text): Pair {
  let sum = 0;
  const count = space.words.length;
  const recall = emptyCover(b.at.length);
  const precision = emptyCover(a.at.length);
  for (let i = 0; i < a.at.length; i++) {
    const [x, wx] = [a.at[i] ?? 0, weightAt(space, a.side, a.at[i] ?? 0, a.factors, i)];
    for (let j = 0; j < b.at.length; j++) {
      const y = b.at[j] ?? 0;
      const cosine = space.cosines[x * count + y] ?? 0;
      sum += wx * weightAt(space, b.side, y, b.factors, j) * cosine;
      const same = space.words[x]?.stem === space.words[y]?.stem;
      note(recall, j, same ? 0.95 : cosine, same ? -1 : x);
      note(precision, i, same ? 0.95 : cosine, same ? -1 : y);
    }
  }
  const cosine = sum / (a.length * b.length);
  return { parts: [cosine, covered(space, b, recall), covered(space, a, precision)], recall, precision };
}

function emptyCover(size: number): Cover {
  return { best: new Int32Array(size).fill(-1), likeness: new Float64Array(size) };
}

function note({ best, likeness }: Cover, at: number, found: number, word: number): void {
  if (found <= (likeness[at] ?? 0)) return;
  likeness[at] = found;
  best[at] = word;
}

function covered(space: Space, text: Text, { likeness }: Cover): number {
  let sum = 0;
  for (let i = 0; i < likeness.length; i++)
    sum += weightAt(space, text.side, text.at[i] ?? 0, text.factors, i) * (likeness[i] ?? 0);
  return sum / text.weight;
}

/** Slopes of recall or precision: of the weights of the covered text and of its best matches. */
function carryCover(space: Space, text: Text, cover: Cover, value: number, slope: number): void {
  const count = space.words.length;
  const weights = space.weightSlopes[text.side];
  text.at.forEach((word, i) => {
    const likeness = cover.likeness[i] ?? 0;
    const best = cover.best[i] ?? -1;
    weights[word] =
      (weights[word] ?? 0) + (slope * (text.factors[i] ?? 1) * (likeness - value)) / text.weight;
    if (best < 0) return;
    const share = weightAt(space, text.side, word, text.factors, i) / text.weight;
    const at = word * count + best;
    space.cosineSlopes[at] = (space.cosineSlopes[at] ?? 0) + slope * share;
  });
}

function carryCosine(space: Space, a: Text, b: Text, cosine: number, slope: number): void {
  carryCross(space, a, b, slope / (a.length * b.length));
  carryLength(space, a, (-slope * cosine) / (2 * a.length * a.length));
  carryLength(space, b, (-slope * cosine) / (2 * b.length * b.length));
}

function carryCross(space: Space, a: Text, b: Text, slope: number): void {
  const count = space.words.length;
  const [slopesA, slopesB] = [space.weightSlopes[a.side], space.weightSlopes[b.side]];
  for (let i = 0; i < a.at.length; i++) {
    const x = a.at[i] ?? 0;
    const wx = weightAt(space, a.side, x, a.factors, i);
    for (let j = 0; j < b.at.length; j++) {
      const y = b.at[j] ?? 0;
      const wy = weightAt(space, b.side, y, b.factors, j);
      const at = x * count + y;
      const cosine = space.cosines[at] ?? 0;
      space.cosineSlopes[at] = (space.cosineSlopes[at] ?? 0) + slope * wx * wy;
      slopesA[x] = (slopesA[x] ?? 0) + slope * (a.factors[i] ?? 1) * wy * cosine;
      slopesB[y] = (slopesB[y] ?? 0) + slope * (b.factors[j] ?? 1) * wx * cosine;
    }
  }
}

/** Slope in the squared length of a text's mean is that of the text crossed with itself. */
function carryLength(space: Space, text: Text, slope: number): void {
  carryCross(space, text, text, slope);
}
