import { shuffle } from '../evaluation/sample.ts';
import { answersNeeded, binomialTail } from './binomial.ts';
import { grid, pointOf, type Count, type Judged, type Point, type Target } from './threshold.ts';

/** What each decider of a cascade says of one row, in order; null where the confidence that it was given passes it on. */
export type JudgedRow = readonly (Judged | null)[];

/** Thresholds of the deciders of a cascade, in order; null for one that answers nothing. */
export type StageThresholds = readonly (number | null)[];

/** What thresholds do to the rows that they were tested on. */
export interface CascadePoint extends Point {
  readonly thresholds: StageThresholds;
  /** What each decider was asked and answered. */
  readonly stages: readonly (Count & { readonly asked: number })[];
}

export interface CascadeFit {
  /** Null where nothing keeps to the target. */
  readonly at: CascadePoint | null;
  /** What was tested, from the safest on. */
  readonly curve: readonly CascadePoint[];
}

/** Share of the rows on which the order of the tests is found; the others are tested. */
const orderShare = 0.4;

/** What a question passed on costs, where one that is answered is worth 1. */
const passingCost = 0.05;

/** Fewest rows with which any thresholds can pass. */
export const rowsNeededOfCascade = ({ maxError, confidence }: Target): number =>
  Math.floor((answersNeeded(maxError, 1 - confidence) - 1) / (1 - orderShare)) + 1;

/**
 * Thresholds for the deciders of a cascade at which the error of what is answered, by all of them together, stays under
 * the target: with the target's confidence over the draw of rows like those to come, for any deciders.
 *
 * Learn then Test (Angelopoulos, Bates, Candès, Jordan, Lei 2021, arXiv 2110.01052), its split fixed sequence testing,
 * with the sequence of Pareto Testing (Laufer-Goldshtein, Fisch, Barzilay, Jaakkola 2023, arXiv 2210.07913): thresholds
 * that are best for some price of a mistake are found on one part of the rows and ordered there by how surely they keep
 * to the target. The other part tests them in this order, each on the whole level, up to the first that fails; its rows
 * saw none of the choice. Sequences over a fixed grid would share the level among all combinations of thresholds.
 */
export function fitCascade(rows: readonly JudgedRow[], target: Target): CascadeFit {
  const mixed = shuffle(rows.map(toPlaced), 1);
  const middle = Math.floor(mixed.length * orderShare);
  const [ordering, tested] = [mixed.slice(0, middle), mixed.slice(middle)];
  const significance = 1 - target.confidence;
  const curve = toSequence(ordering, target).map((places) => toCascadePoint(tested, places, target));
  const failed = curve.findIndex(
    ({ answered, errors }) =>
      answered === 0 || binomialTail(errors, answered, target.maxError) > significance,
  );
  const passed = failed === -1 ? curve : curve.slice(0, failed);
  const [at = null] = passed.toSorted((one, other) => worthOf(other) - worthOf(one));
  return { at, curve };
}

/** Of a confidence, how many thresholds of the grid let it be answered. */
interface Placed {
  readonly level: number;
  readonly isWrong: boolean;
}
type PlacedRow = readonly Placed[];

/** Index of a threshold in the grid, for each decider. Its length stands for none. */
type Places = readonly number[];

const toPlaced = (row: JudgedRow): PlacedRow =>
  row.map((judged) => ({
    level: judged === null ? 0 : grid.findLastIndex((threshold) => threshold <= judged.confidence) + 1,
    isWrong: judged?.isWrong ?? false,
  }));

/** Prices of a mistake, in answers, down to one at which half of what is least sure may be wrong. */
const pricesOf = ({ maxError }: Target): readonly number[] =>
  Array.from({ length: 40 }, (_, index) => 2 * (15 / maxError) ** (1 - index / 39));

const roundsMax = 4;

/** The best thresholds for each price that no others surpass in both surety and worth, the surest first. */
function toSequence(rows: readonly PlacedRow[], target: Target): readonly Places[] {
  const found = new Map<string, Places>();
  let places: Places = (rows[0] ?? []).map(() => grid.length);
  for (const price of pricesOf(target)) {
    places = bestPlaces(rows, price, places);
    found.set(places.join(' '), places);
  }
  const candidates = [...found.values()].map((places) => {
    const point = toCascadePoint(rows, places, target);
    const doubt = point.answered === 0 ? 1 : binomialTail(point.errors, point.answered, target.maxError);
    return { places, doubt, worth: worthOf(point) };
  });
  const sorted = candidates.toSorted((one, other) => one.doubt - other.doubt || other.worth - one.worth);
  let best = -Infinity;
  return sorted.flatMap(({ places, worth }) => {
    if (worth <= best) return [];
    best = worth;
    return [places];
  });
}

/**
 * Thresholds at which answers are worth most, less the price of those that are wrong: each in turn while the others stay,
 * from those of another price on.
 */
function bestPlaces(rows: readonly PlacedRow[], price: number, from: Places): Places {
  const places = [...from];
  for (let round = 0; round < roundsMax; round++) {
    const before = places.join(' ');
    for (let stage = places.length - 1; stage >= 0; stage--)
      places[stage] = bestPlace(rows, places, stage, price);
    if (places.join(' ') === before) break;
  }
  return places;
}

function bestPlace(rows: readonly PlacedRow[], places: Places, stage: number, price: number): number {
  const gains = new Float64Array(grid.length + 1);
  const answer = (isWrong: boolean) => 1 - (isWrong ? price : 0);
  for (const row of rows) {
    if (answererOf(row, places) < stage) continue;
    const { level, isWrong } = row[stage] ?? nothing;
    const next = answererOf(row, places, stage + 1);
    const later = next === row.length ? 0 : answer((row[next] ?? nothing).isWrong);
    const passed = Math.min(next, row.length - 1) - stage;
    gains[level] = (gains[level] ?? 0) + answer(isWrong) - later + passed * passingCost;
  }
  let [place, best, sum] = [grid.length, 0, 0];
  for (let level = grid.length; level > 0; level--) {
    sum += gains[level] ?? 0;
    if (sum > best) [place, best] = [level - 1, sum];
  }
  return place;
}

const nothing: Placed = { level: 0, isWrong: false };

/** The decider that answers a row, from one on; the number of them where none does. */
function answererOf(row: PlacedRow, places: Places, from = 0): number {
  for (let stage = from; stage < row.length; stage++)
    if ((row[stage]?.level ?? 0) > (places[stage] ?? grid.length)) return stage;
  return row.length;
}

function toCascadePoint(rows: readonly PlacedRow[], places: Places, { confidence }: Target): CascadePoint {
  const stages = places.map(() => ({ asked: 0, answered: 0, errors: 0 }));
  for (const row of rows) {
    const answerer = answererOf(row, places);
    for (const [index, stage] of stages.entries()) {
      if (index <= answerer) stage.asked++;
      if (index === answerer) stage.answered++;
      if (index === answerer && row[index]?.isWrong === true) stage.errors++;
    }
  }
  const sum = (name: keyof Count) => stages.reduce((total, stage) => total + stage[name], 0);
  const count = { answered: sum('answered'), errors: sum('errors') };
  return {
    ...pointOf(count, rows.length, confidence),
    thresholds: places.map((place) => grid[place] ?? null),
    stages,
  };
}

function worthOf({ answered, stages }: Pick<CascadePoint, 'answered' | 'stages'>): number {
  const passedOn = stages.slice(1).reduce((sum, { asked }) => sum + asked, 0);
  return answered - passedOn * passingCost;
}
