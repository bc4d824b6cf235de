/**
 * Does work on items, so many at once. The first that fails, or the signal, stops the others; they are waited for, so that
 * nothing is under way when this settles. Rejects with the first failure.
 */
export async function inLanes<Item>(
  items: Iterable<Item>,
  { count, signal }: { readonly count: number; readonly signal: AbortSignal },
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const within = AbortSignal.any([signal, stop.signal]);
  const left = Iterator.from(items);
  const lane = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true && !within.aborted; next = left.next())
      await work(next.value, within);
  };
  const lanes = Array.from({ length: count }, lane);
  try {
    await Promise.all(lanes);
  } finally {
    stop.abort();
    await Promise.allSettled(lanes);
  }
}
