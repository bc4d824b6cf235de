/**
 * How a server leaves the proxies in front of it.
 *
 * `serving`: it is ready. `draining`: it serves on, and `/readyz` says that it is not ready. `drained`: the time is over,
 * and the transport takes no new connection. Only `run` changes the state.
 */
export interface Drain {
  /** Whether it goes away. */
  isStopping(): boolean;
  /** Resolves when the time is over. */
  run(): Promise<void>;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export function createDrain(drainMs: number, wait = pause): Drain {
  let state: 'serving' | 'draining' | 'drained' = 'serving';
  return {
    isStopping: () => state !== 'serving',
    async run() {
      state = 'draining';
      if (drainMs > 0) await wait(drainMs);
      state = 'drained';
    },
  };
}
