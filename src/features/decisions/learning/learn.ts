import { runInSlices } from '../../../kernel/kit/slices.ts';
import { decide } from '../decide.ts';
import type { DecisionEngine, Distribution, Features, State, StateFeatures } from '../engine.ts';
import type { Case } from '../evaluation/examples.ts';
import { sample } from '../evaluation/sample.ts';
import { canonicalOrder, reorder } from '../order.ts';
import { fitHead, type Head, type HeadFit } from './fit-head.ts';
import type { Lesson } from './head.ts';

/** What came of the examples of one question. */
export interface Lessons {
  readonly head: Head | null;
  /** Null where there are too few examples, or all have one answer. */
  readonly report: HeadFit | null;
}

/**
 * Rows that are evaluated together, a fifth of a second: a reply of the server waits for so many at most. Those of a length
 * take 12 ms each, others 15.
 */
const together = 16;
/** Rows that the engine is asked as it was: enough to tell better from worse, and a second of work. */
const beforeMax = 200;
const beforeSeed = 1;
const inputTokensMax = 262_144;

/** Examples of one question as numbers, and what the engine answers to some of them by their row. */
export interface PreparedLesson {
  readonly lesson: Lesson;
  readonly before: ReadonlyMap<number, Distribution>;
}

/** What answered a row before it was learned from. */
export type EngineBefore<One extends Case = Case> = (one: One) => DecisionEngine;

/** Learns a head from the examples of one question. It is null where it would not surely be better than the engine. */
export async function learn(
  engine: DecisionEngine,
  features: Features,
  cases: readonly Case[],
  signal: AbortSignal,
): Promise<Lessons> {
  const { lesson, before } = await prepareLesson(() => engine, features, cases, { signal });
  return runInSlices(fitHead(lesson, before), signal);
}

/** Makes the vectors of states that are learned from, those of a length together. */
export async function keepStates(
  features: Features,
  states: readonly State[],
  { signal, account }: { readonly signal: AbortSignal; readonly account?: string },
): Promise<void> {
  const sorted = states.toSorted((one, other) => one.text.length - other.text.length);
  for (let from = 0; from < sorted.length; from += together)
    await features.keep(sorted.slice(from, from + together), signal, account);
}

/** Asks for what is learned from; the rest is arithmetic. All cases are of one question. */
export async function prepareLesson<One extends Case>(
  engineBefore: EngineBefore<One>,
  features: Features,
  cases: readonly One[],
  { signal, account }: { readonly signal: AbortSignal; readonly account?: string },
): Promise<PreparedLesson> {
  const before = new Map<number, Distribution>();
  const [first] = cases;
  if (first === undefined) return { lesson: { vectors: [], priors: [], right: [], options: 0 }, before };
  const order = canonicalOrder(first.question);
  const question = reorder(first.question, order);
  const states = cases.map(({ state }) => state);
  await keepStates(features, states, { signal, ...(account !== undefined && { account }) });
  const known: StateFeatures[] = [];
  for (let from = 0; from < states.length; from += together)
    known.push(...(await features.of(states.slice(from, from + together), question, signal, account)));
  const asker = account === undefined ? {} : { account };
  for (const row of sample([...cases.keys()], beforeMax, beforeSeed)) {
    const one = cases[row];
    if (one === undefined) continue;
    const engine = engineBefore(one);
    const { distributions } = await decide(engine, { inputTokensMax }, one.state, [question], signal, asker);
    before.set(row, distributions[0] ?? []);
  }
  const lesson = {
    vectors: known.map(({ vector }) => vector),
    priors: known.map(({ prior }) => prior),
    // Each case by its own order: those of one question may list its options differently.
    right: cases.map(({ question: own, right }) => canonicalOrder(own).indexOf(right)),
    options: question.options.length,
  };
  return { lesson, before };
}
