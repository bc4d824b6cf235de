import type { Caller } from '../../../kernel/kit/caller.ts';
import type { Features, State } from '../engine.ts';

/**
 * States that are read in one call, sorted by length. Rows of one length are evaluated together: of 17 tokens one took
 * 16 ms of CPU alone, 11 in twos and 10 from four on, and among 128 states most have some of their length beside them.
 */
const together = 128;

/** Vectors that outlive the process. */
export interface VectorsKept<One> {
  find(asked: readonly One[]): Promise<ReadonlyMap<One, Float32Array>>;
  put(made: ReadonlyMap<One, Float32Array>): Promise<void>;
}

/**
 * Makes the vectors of states that are learned from, and yields those that are there, in the order of their length.
 * Whoever asks no further has those that were yielded. `caller` has to be one whose other work may wait behind them.
 */
export async function* readStates<One extends { readonly state: State }>(
  features: Features,
  asked: readonly One[],
  kept: VectorsKept<One> | null,
  { signal, account }: Caller,
): AsyncGenerator<readonly One[]> {
  const sorted = asked.toSorted((one, other) => one.state.text.length - other.state.text.length);
  for (let from = 0; from < sorted.length; from += together) {
    const some = sorted.slice(from, from + together);
    const known = (await kept?.find(some)) ?? new Map<One, Float32Array>();
    const given = some.map((one) => known.get(one) ?? null);
    const states = some.map(({ state }) => state);
    const vectors = await features.keep(states, given, signal, account);
    const made = some.flatMap((one, at) => {
      const own = vectors[at];
      return known.has(one) || own === undefined ? [] : [[one, own] as const];
    });
    if (made.length > 0) await kept?.put(new Map(made));
    yield some;
  }
}

/** Share of what evaluates for all that an account has learned, beside its own: what it asks waits behind one run at most. */
export const shareOf = (accountId: string): string => `${accountId} examples`;
