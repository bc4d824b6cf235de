/**
 * What is made with the first use and kept: who comes meanwhile waits for the same, and after a failure the next use tries
 * again. So an engine that is opened and never asked costs nothing.
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
