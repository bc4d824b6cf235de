/**
 * What is made with the first use and kept, so that an engine that is opened and never asked costs nothing. Who comes
 * while it is made waits for the same. A failure is told to all who wait, and the next use tries again: a file may be
 * there by then.
 */
export function preparedOnce<Value>(prepare: () => Promise<Value>): () => Promise<Value> {
  let prepared: Promise<Value> | null = null;
  return () => {
    prepared ??= prepare().catch((error: unknown) => {
      prepared = null;
      throw error;
    });
    return prepared;
  };
}
