import assert from 'node:assert/strict';

/** The real one, also in tests that turn the timers by hand. */
const startTimer = setTimeout;
const pause = (ms: number) => new Promise((resolve) => startTimer(resolve, ms));

/** Ends a hang, and is no part of what a test asserts. Unit: ms. */
export const hangMs = 120_000;

/** Waits for what no event tells of: looks until it holds. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what = 'this does not come to hold',
): Promise<void> {
  await poll(holds, (isSo) => isSo, what);
}

/** Looks until what is seen is wanted, and returns it. */
export async function poll<Value>(
  look: () => Value | Promise<Value>,
  isWanted: (value: Value) => boolean,
  what = 'what is wanted does not come',
): Promise<Value> {
  for (const endAt = performance.now() + hangMs; ; await pause(10)) {
    const value = await look();
    if (isWanted(value)) return value;
    assert.ok(performance.now() < endAt, what);
  }
}

/**
 * Looks until what is seen is wanted and returns it, at ever longer intervals up to a second: for what costs a
 * request to look at, and stays as it is once it is there.
 */
export async function pollEnd<Value>(
  look: () => Value | Promise<Value>,
  isEnd: (value: Value) => boolean,
  what = 'it does not end',
): Promise<Value> {
  const beganAt = performance.now();
  for (;;) {
    const value = await look();
    if (isEnd(value)) return value;
    const waitedMs = performance.now() - beganAt;
    assert.ok(waitedMs < hangMs, what);
    await pause(Math.min(1_000, 10 + waitedMs / 10));
  }
}

/** Lets everything run that is ready to, as often as a chain of small steps needs: for what must not happen. */
export async function settle(turns = 50): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}
