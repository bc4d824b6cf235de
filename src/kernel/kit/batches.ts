/**
 * Hands items that come at their own pace to one reader, in batches of what came since the last: a slow reader gets
 * larger ones. `batches` ends behind `end`, when all were read. `add` may join an item with the last that waits.
 */
export function createBatches<Item>(
  add = (waiting: Item[], item: Item): void => {
    waiting.push(item);
  },
) {
  let waiting: Item[] = [];
  let isOver = false;
  let wake = Promise.withResolvers<void>();
  async function* batches(): AsyncGenerator<readonly Item[]> {
    for (;;) {
      await wake.promise;
      if (!isOver) wake = Promise.withResolvers<void>();
      const batch = waiting;
      waiting = [];
      if (batch.length > 0) yield batch;
      else if (isOver) return;
    }
  }
  return {
    batches: batches(),
    /** Items that wait for the reader. */
    size: () => waiting.length,
    push: (item: Item): void => {
      add(waiting, item);
      wake.resolve();
    },
    end: (): void => {
      isOver = true;
      wake.resolve();
    },
  };
}
