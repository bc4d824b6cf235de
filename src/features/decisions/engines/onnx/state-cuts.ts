import { Fault } from '../../../../kernel/faults.ts';
import type { Caller } from '../../../../kernel/kit/caller.ts';
import type { State } from '../../engine.ts';
import type { Room } from './adapter.ts';
import { windowsOf } from '../../windows.ts';

/** Beyond, reading would take longer than a request may. */
const windowsMax = 256;

/** The windows of states, each cut once for all questions that leave it the same room. */
export interface StateCuts {
  cut(state: State, room: Room, caller: Caller): Promise<readonly string[]>;
  /** The most that a state was cut into; null before it was. */
  countOf(state: State): number | null;
}

export function createStateCuts(
  count: (texts: readonly string[], caller: Caller) => Promise<readonly number[]>,
): StateCuts {
  /** By the tokens that are read whole. */
  const known = new WeakMap<State, Map<number, readonly string[]>>();
  return {
    async cut(state, room, caller) {
      const cuts = known.get(state) ?? new Map<number, readonly string[]>();
      known.set(state, cuts);
      const cut = cuts.get(room.wholeMax);
      if (cut !== undefined) return cut;
      const made = await windowsOf(state.text, room, (texts) => count(texts, caller));
      const most = room.windowsMax ?? windowsMax;
      if (made.length > most)
        throw new Fault(
          'context_length_exceeded',
          `The state needs ${made.length} windows of ${room.tokensMax} tokens; the local model reads at most ${most}`,
          { param: 'state' },
        );
      cuts.set(room.wholeMax, made);
      return made;
    },
    countOf(state) {
      const cuts = [...(known.get(state)?.values() ?? [])];
      return cuts.length === 0 ? null : Math.max(...cuts.map(({ length }) => length));
    },
  };
}
