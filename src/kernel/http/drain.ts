export type Drain = ReturnType<typeof createDrain>;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Lets proxies notice that the server stops.
 *
 * `serving`: ready. `draining`: still serves while `/readyz` answers 503. `drained`: the transport takes no new
 * connection. Only `run` changes the state.
 */
export function createDrain(drainMs: number, wait = pause) {
  let state: 'serving' | 'draining' | 'drained' = 'serving';
  return {
    isStopping: () => state !== 'serving',
    /** Resolves when the drain time is over. */
    async run(): Promise<void> {
      state = 'draining';
      if (drainMs > 0) await wait(drainMs);
      state = 'drained';
    },
  };
}
