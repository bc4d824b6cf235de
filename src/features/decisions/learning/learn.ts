import { ownAccount } from '../../../kernel/kit/caller.ts';
import { runInSlices } from '../../../kernel/kit/slices.ts';
import { decide } from '../decide.ts';
import type { DecisionEngine, Distribution, Features, StateFeatures } from '../engine.ts';
import type { Case } from '../evaluation/examples.ts';
import { sample } from '../evaluation/sample.ts';
import { canonicalOrder, reorder } from '../order.ts';
import { fitHead, type Head, type HeadFit } from './fit-head.ts';
import type { Lesson } from './head.ts';
import { readStates, type VectorsKept } from './read-states.ts';

/** What came of the examples of one question. */
export interface Lessons {
  readonly head: Head | null;
  /** Null where there are too few examples, or all have one answer. */
  readonly report: HeadFit | null;
}

/** States that are answered from their vectors in one stretch of the serving thread. */
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

/** Asks for what is learned from, of states that are read while those before them are answered. All cases are of one question. */
export async function prepareLesson<One extends Case>(
  engineBefore: EngineBefore<One>,
  features: Features,
  cases: readonly One[],
  { signal, account = ownAccount }: { readonly signal: AbortSignal; readonly account?: string },
  kept: VectorsKept<One> | null = null,
): Promise<PreparedLesson> {
  const before = new Map<number, Distribution>();
  const [first] = cases;
  if (first === undefined)
    return { lesson: { kind: 'choice', vectors: [], priors: [], right: [], options: 0 }, before };
  const question = reorder(first.question, canonicalOrder(first.question));
  const rows = new Map(cases.map((one, row) => [one, row]));
  const asked = new Set(sample(cases, beforeMax, beforeSeed));
  const known = new Map<One, StateFeatures>();
  const answer = async (read: readonly One[]): Promise<void> => {
    for (let from = 0; from < read.length; from += together) {
      const some = read.slice(from, from + together);
      const states = some.map(({ state }) => state);
      const found = await features.of(states, question, signal, account);
      for (const [at, one] of some.entries())
        known.set(one, found[at] ?? { vector: new Float32Array(), prior: [] });
    }
    for (const one of read) {
      if (!asked.has(one)) continue;
      const engine = engineBefore(one);
      const { distributions } = await decide(engine, { inputTokensMax }, one.state, [question], signal, {
        account,
      });
      before.set(rows.get(one) ?? 0, distributions[0] ?? []);
    }
  };
  let answered = Promise.resolve();
  for await (const read of readStates(features, cases, kept, { signal, account })) {
    answered = answered.then(() => answer(read));
    // It is waited for below, and must not be an unhandled rejection until then.
    answered.catch(() => {});
  }
  await answered;
  const lesson = {
    kind: question.kind,
    vectors: cases.map((one) => known.get(one)?.vector ?? new Float32Array()),
    priors: cases.map((one) => known.get(one)?.prior ?? []),
    // Each case by its own order: those of one question may list its options differently.
    right: cases.map(({ question: own, right }) => canonicalOrder(own).indexOf(right)),
    options: question.options.length,
  };
  return { lesson, before };
}
