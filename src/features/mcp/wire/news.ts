/** Progress messages of a running call, for one reader. */
interface News<Item> {
  readonly push: (item: Item) => void;
  readonly end: () => void;
  /** Batches of all messages since the last batch; ends after `end`. */
  readonly batches: AsyncIterable<readonly Item[]>;
}

/** News are dropped while this many wait: they are for watching, and the answer does not depend on them. */
const waitingMax = 100;

export function createNews<Item>(): News<Item> {
  let waiting: Item[] = [];
  let isOver = false;
  let wake = Promise.withResolvers<void>();
  async function* batches(): AsyncGenerator<readonly Item[]> {
    for (;;) {
      await wake.promise;
      wake = Promise.withResolvers<void>();
      const batch = waiting;
      waiting = [];
      if (batch.length > 0) yield batch;
      if (isOver && waiting.length === 0) return;
    }
  }
  return {
    push(item) {
      if (waiting.length < waitingMax) waiting.push(item);
      wake.resolve();
    },
    end() {
      isOver = true;
      wake.resolve();
    },
    batches: batches(),
  };
}
