import type { Metric } from '../src/features/decisions/words/metric.ts';
import { createRandom } from '../src/features/decisions/evaluation/sample.ts';
import { pick, type DataSet } from './data.ts';
import { carryBack, createSpace, type MetricSlopes } from './metric-space.ts';
import { pairingLoss, type Mix } from './metric-loss.ts';
import { minimise } from './optimise.ts';
import { labelBags, type Bag } from './vocabulary.ts';

const dimensions = 100;
const rank = 16;
/** Pull towards the identity and towards equal factors. Weaker pulls raised the trained set and sank the other. */
const metricPull = 1;
const weightPull = 0.02;

export interface MetricPlan {
  readonly rounds: number;
  readonly seed: number;
}

/** One label set, prepared for batches. */
interface PreparedSet {
  readonly labels: readonly Bag[];
  readonly texts: readonly (readonly Bag[])[];
}

const sizes = [dimensions, dimensions * rank, rank * dimensions, 3, dimensions, 3, dimensions, 3, 3] as const;

/**
 * Learns a metric from pairs of a message and its label's name, and of two messages of one label. `sets` hold only
 * the labels to learn from. The same sets, plan and vectors give the same numbers.
 */
export function trainMetric(
  sets: readonly DataSet[],
  bagOf: (text: string) => Bag,
  plan: MetricPlan,
): Metric {
  const random = createRandom(plan.seed);
  const prepared = sets.map((set) => prepare(set, bagOf));
  const { at } = minimise(
    startFrom(random),
    (at, gradient) => {
      const parts = split(at);
      const slopes = split(gradient);
      const metric = toMetric(parts);
      let loss = pull(parts, slopes);
      for (const set of prepared) loss += batchLoss(set, metric, parts, slopes, random);
      return loss;
    },
    plan.rounds,
    rates(),
  );
  return toMetric(split(at));
}

function prepare(set: DataSet, bagOf: (text: string) => Bag): PreparedSet {
  const texts = new Map(set.labels.map((label): [string, Bag[]] => [label, []]));
  for (const [text, label] of set.train) {
    const bag = bagOf(text);
    if (bag.words.length > 0) texts.get(label)?.push(bag);
  }
  return { labels: labelBags(set.labels, bagOf), texts: [...texts.values()] };
}

const optionsAtOnce = 60;
const messagesAtOnce = 32;
const pairsAtOnce = 40;

function batchLoss(
  { labels, texts }: PreparedSet,
  metric: Metric,
  parts: readonly Float64Array[],
  slopes: readonly Float64Array[],
  random: () => number,
): number {
  const chosen = draw(labels.length, optionsAtOnce, random);
  const own = Array.from({ length: messagesAtOnce }, () => Math.floor(random() * chosen.length));
  const messages = own.map((c) => pick(random, texts[chosen[c] ?? 0] ?? []));
  const options = chosen.map((c) => labels[c] ?? { words: [], factors: [] });
  const twins = draw(labels.length, pairsAtOnce, random);
  const first = twins.map((c) => pick(random, texts[c] ?? []));
  const second = twins.map((c) => pick(random, texts[c] ?? []));
  const space = createSpace([...messages, ...options, ...first, ...second], metric);
  const [byName = new Float64Array(3), byText = new Float64Array(3)] = slopes.slice(7);
  const [mixName, mixText] = [toMix(parts[7]), toMix(parts[8])];
  const loss =
    pairingLoss(space, messages, options, 'hypothesis', own, mixName, byName) +
    pairingLoss(space, first, second, 'state', [...first.keys()], mixText, byText);
  carryBack(space, metric, toSlopes(slopes));
  return loss;
}

/** Some of 0..count-1, in random order. */
function draw(count: number, most: number, random: () => number): number[] {
  const all = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [all[i], all[j]] = [all[j] ?? 0, all[i] ?? 0];
  }
  return all.slice(0, most);
}

function startFrom(random: () => number): Float64Array {
  const at = new Float64Array(sizes.reduce((a, b) => a + b, 0));
  const parts = split(at);
  parts[1]?.forEach((_, i, reduce) => (reduce[i] = 0.07 * (random() - 0.5)));
  parts[7]?.fill(12);
  parts[8]?.fill(12);
  return at;
}

function rates(): Float64Array {
  const all = new Float64Array(sizes.reduce((a, b) => a + b, 0));
  split(all).forEach((part, i) => part.fill(i < 3 ? 0.003 : i < 7 ? 0.015 : 0.15));
  return all;
}

/** Views on the parts of a flat vector; writing to them writes to it. */
function split(flat: Float64Array): readonly Float64Array[] {
  let from = 0;
  return sizes.map((size) => flat.subarray(from, (from += size)));
}

function toMix(part: Float64Array | undefined): Mix {
  return [part?.[0] ?? 0, part?.[1] ?? 0, part?.[2] ?? 0];
}

function toMetric([stretch, reduce, expand, s, sv, h, hv]: readonly Float64Array[]): Metric {
  const weighting = (scalars: Float64Array | undefined, vector: Float64Array | undefined) => ({
    bias: scalars?.[0] ?? 0,
    rank: scalars?.[1] ?? 0,
    filler: scalars?.[2] ?? 0,
    vector: Array.from(vector ?? []),
  });
  return {
    stretch: Array.from(stretch ?? []),
    reduce: Array.from(reduce ?? []),
    expand: Array.from(expand ?? []),
    state: weighting(s, sv),
    hypothesis: weighting(h, hv),
  };
}

function toSlopes(parts: readonly Float64Array[]): MetricSlopes {
  const at = (i: number): Float64Array => parts[i] ?? new Float64Array();
  return {
    stretch: at(0),
    reduce: at(1),
    expand: at(2),
    state: { scalars: at(3), vector: at(4) },
    hypothesis: { scalars: at(5), vector: at(6) },
  };
}

/** Loss and slopes of the pull towards a metric that changes nothing. */
function pull(parts: readonly Float64Array[], slopes: readonly Float64Array[]): number {
  const [none, factor] = [new Float64Array(), (2 * metricPull) / dimensions];
  const [stretch = none, reduce = none, expand = none] = parts;
  const [stretchSlopes = none, reduceSlopes = none, expandSlopes = none] = slopes;
  let loss = 0;
  for (let i = 0; i < dimensions; i++) {
    for (let j = 0; j < dimensions; j++) {
      let moved = i === j ? (stretch[i] ?? 0) : 0;
      for (let k = 0; k < rank; k++) moved += (reduce[i * rank + k] ?? 0) * (expand[k * dimensions + j] ?? 0);
      loss += (metricPull / dimensions) * moved * moved;
      if (i === j) stretchSlopes[i] = (stretchSlopes[i] ?? 0) + factor * moved;
      for (let k = 0; k < rank; k++) {
        const [r, e] = [i * rank + k, k * dimensions + j];
        reduceSlopes[r] = (reduceSlopes[r] ?? 0) + factor * moved * (expand[e] ?? 0);
        expandSlopes[e] = (expandSlopes[e] ?? 0) + factor * moved * (reduce[r] ?? 0);
      }
    }
  }
  for (const v of [4, 6]) {
    parts[v]?.forEach((x, i) => {
      loss += weightPull * x * x;
      const slope = slopes[v];
      if (slope !== undefined) slope[i] = (slope[i] ?? 0) + 2 * weightPull * x;
    });
  }
  return loss;
}
