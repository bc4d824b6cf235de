import type { TestContext } from 'node:test';

const clears = { setTimeout: 'clearTimeout', setInterval: 'clearInterval' } as const;

type SetTimer = (work: () => void, ms: number, ...rest: unknown[]) => object;
type ClearTimer = (timer: unknown) => void;

export interface TurnedTimers {
  /** Turns the time forward. */
  readonly tick: (ms: number) => void;
  /** Whether a timer of this many milliseconds was ever set. */
  readonly wasSet: (ms: number) => boolean;
}

/**
 * Timers of one kind that a test turns by hand, and no others. Connections that an earlier test left clear theirs by the
 * same functions, and Node's mock, handed a timer of an earlier mock, clears whichever of its own has that one's place.
 */
export function turnTimers(t: TestContext, kind: keyof typeof clears = 'setTimeout'): TurnedTimers {
  const clearOther = globalThis[clears[kind]] as ClearTimer;
  t.mock.timers.enable({ apis: [kind] });
  const set = globalThis[kind] as SetTimer;
  const clear = globalThis[clears[kind]] as ClearTimer;
  const own = new WeakSet();
  const delays = new Set<number>();
  replace(kind, ((work, ms, ...rest) => {
    const timer = set(work, ms, ...rest);
    own.add(timer);
    delays.add(ms);
    return timer;
  }) satisfies SetTimer);
  replace(clears[kind], ((timer) => {
    if (typeof timer === 'object' && timer !== null && own.has(timer)) clear(timer);
    else clearOther(timer);
  }) satisfies ClearTimer);
  return { tick: (ms) => t.mock.timers.tick(ms), wasSet: (ms) => delays.has(ms) };
}

/** Node puts the real one back when the test has ended. */
function replace(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
