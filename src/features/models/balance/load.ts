import type { Clock } from '../../../kernel/kit/clock.ts';

/** One call to a backend. Whoever began it says once how it went. */
export interface RunningCall {
  /** Its first output has come. */
  begun(): void;
  /** Nothing came of it: a backend that refuses quickly must not look fast. */
  failed(): void;
  /** It is over; further calls do nothing. */
  over(): void;
}

interface Load {
  running: number;
  /** Mean time until the first output; 0 while nothing is known. Unit: ms. */
  waitMs: number;
  measuredAtMs: number;
}

/** What a call that failed counts as at least. Unit: ms. */
const failureMs = 1_000;
/** After this a measurement counts e times less, and a slow backend is tried again. Unit: ms. */
const memoryMs = 10_000;

export type Loads = ReturnType<typeof createLoads>;

/** Calls under way on each backend, and how long each lets callers wait. Kept for as many backends as have names. */
export function createLoads(clock: Clock) {
  const loads = new Map<string, Load>();
  const of = (id: string): Load => {
    const known = loads.get(id);
    if (known !== undefined) return known;
    const load = { running: 0, waitMs: 0, measuredAtMs: 0 };
    loads.set(id, load);
    return load;
  };
  const fading = ({ measuredAtMs }: Load): number => Math.exp((measuredAtMs - clock.monotonic()) / memoryMs);
  const measure = (load: Load, waitMs: number): void => {
    const kept = fading(load);
    // A peak counts at once, as in Finagle's balancer; what is faster is believed slowly.
    load.waitMs = waitMs > load.waitMs ? waitMs : load.waitMs * kept + waitMs * (1 - kept);
    load.measuredAtMs = clock.monotonic();
  };
  return {
    running: (id: string): number => loads.get(id)?.running ?? 0,

    /** Expected wait of one more call. 0 for a backend of which nothing is known. Unit: ms. */
    expectedMs(id: string): number {
      const load = loads.get(id);
      return load === undefined ? 0 : load.waitMs * fading(load) * (load.running + 1);
    },

    begin(id: string): RunningCall {
      const load = of(id);
      const startedAtMs = clock.monotonic();
      const elapsed = () => clock.monotonic() - startedAtMs;
      let isOver = false;
      load.running++;
      return {
        begun: () => measure(load, elapsed()),
        failed: () => measure(load, Math.max(failureMs, elapsed(), 2 * load.waitMs)),
        over() {
          if (!isOver) load.running--;
          isOver = true;
        },
      };
    },
  };
}
