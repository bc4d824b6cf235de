import { neutralTemperature, temper, temperatureFor, type Temperature } from '../calibration.ts';
import { nllFloor, type Outcome } from './metrics.ts';
import { minimiseLine, minimisePlane } from './minimise.ts';

/** With fewer examples of one number of options, a curve would follow their noise. */
const examplesPerSizeMin = 20;
/** A curve through two sizes always fits. */
const sizesMin = 3;
/** Range of temperatures, as logarithms. Beyond it an engine is broken, not miscalibrated. */
const range = [Math.log(0.05), Math.log(20)] as const;

export type Shape = 'neutral' | 'one' | 'curve';

/** Shapes that there are enough outcomes for, simplest first. */
export function shapesFor(outcomes: readonly Outcome[]): readonly Shape[] {
  if (outcomes.length < examplesPerSizeMin) return ['neutral'];
  return sizesOf(outcomes).length >= sizesMin ? ['neutral', 'one', 'curve'] : ['neutral', 'one'];
}

/**
 * The temperature of a shape that makes the mean NLL lowest. `neutral` is 1; `one` is the same for every number of
 * options; `curve` is `max(min, a + b ln n)`, with the lower of its two ends as `min`, so that sizes that were not
 * seen are never sharpened beyond those that were. Deterministic.
 */
export function fitTemperature(outcomes: readonly Outcome[], shape: Shape): Temperature {
  if (shape === 'neutral' || outcomes.length === 0) return neutralTemperature;
  const prepared = outcomes.map(prepare);
  const same = (log: number) => flat(Math.exp(log));
  // In 1/T the NLL is convex, so in T there is one valley.
  const best = minimiseLine((log) => meanNll(prepared, same(log)), range, 1e-5);
  const sizes = sizesOf(outcomes);
  if (shape === 'one' || sizes.length < 2) return same(best);
  const [first = 2, last = 2] = [sizes[0], sizes.at(-1)];
  const curve = ([low, high]: readonly [number, number]) =>
    through(first, Math.exp(low), last, Math.exp(high));
  return curve(minimisePlane((point) => meanNll(prepared, curve(point)), [best, best], range));
}

/** The same outcomes at a temperature; what was chosen stays, because order does. */
export function tempered(outcomes: readonly Outcome[], temperature: Temperature): readonly Outcome[] {
  return outcomes.map((outcome) => {
    const { probabilities } = outcome;
    return {
      ...outcome,
      probabilities: temper(probabilities, temperatureFor(temperature, probabilities.length)),
    };
  });
}

function flat(temperature: number): Temperature {
  return { min: temperature, a: temperature, b: 0 };
}

/** The line in ln n through two temperatures. */
function through(n1: number, t1: number, n2: number, t2: number): Temperature {
  const b = (t2 - t1) / (Math.log(n2) - Math.log(n1));
  return { min: Math.min(t1, t2), a: t1 - b * Math.log(n1), b };
}

/** Numbers of options with enough examples, rising. */
function sizesOf(outcomes: readonly Outcome[]): readonly number[] {
  const groups = Map.groupBy(outcomes, ({ probabilities }) => probabilities.length);
  return [...groups]
    .flatMap(([size, group]) => (group.length >= examplesPerSizeMin ? [size] : []))
    .sort((a, b) => a - b);
}

/** Logarithms of the probabilities above zero of one outcome; options without any keep none at every temperature. */
interface Prepared {
  /** Relative to the largest. */
  readonly logs: Float64Array;
  /** Of the right option; null when its probability is zero. */
  readonly right: number | null;
  readonly options: number;
}

function prepare({ probabilities, right }: Outcome): Prepared {
  const top = Math.max(...probabilities);
  const given = probabilities[right] ?? 0;
  return {
    logs: Float64Array.from(
      probabilities.filter((p) => p > 0),
      (p) => Math.log(p / top),
    ),
    right: given > 0 ? Math.log(given / top) : null,
    options: probabilities.length,
  };
}

function meanNll(prepared: readonly Prepared[], temperature: Temperature): number {
  const floor = -Math.log(nllFloor);
  let sum = 0;
  for (const { logs, right, options } of prepared) {
    const t = temperatureFor(temperature, options);
    let total = 0;
    for (const log of logs) total += Math.exp(log / t);
    sum += right === null ? floor : Math.min(floor, Math.log(total) - right / t);
  }
  return sum / prepared.length;
}
