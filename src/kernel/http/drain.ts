/**
 * Lets proxies notice that the server stops.
 *
 * `serving`: ready. `draining`: still serves while `/readyz` answers 503. `drained`: the transport takes no new
 * connection. Only `run` changes the state.
 */
export interface Drain {
  isStopping(): boolean;
  /** Resolves when the drain time is over. */
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
