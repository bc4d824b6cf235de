/**
 * The same batches, turned one by one. Without a generator, so that a batch costs one promise and the source is
 * closed as soon as the consumer says so.
 */
export function mapBatches<From, To>(
  source: AsyncIterable<From>,
  toBatch: (batch: From) => To,
): AsyncIterable<To> {
  return {
    [Symbol.asyncIterator]() {
      const batches = source[Symbol.asyncIterator]();
      const toStep = (step: IteratorResult<From>): IteratorResult<To> =>
        step.done === true ? { done: true, value: undefined } : { done: false, value: toBatch(step.value) };
      return {
        next: () => batches.next().then(toStep),
        async return() {
          await batches.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
