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

/** What is made of an object with the first use, and kept as long as the object is. */
export function preparedFor<Key extends object, Value>(prepare: (key: Key) => Value): (key: Key) => Value {
  const prepared = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    const known = prepared.get(key);
    if (known !== undefined) return known.value;
    const value = prepare(key);
    prepared.set(key, { value });
    return value;
  };
}
