import type { ModelEvent } from '../model.ts';
import type { RunningCall } from './load.ts';

type Batch = readonly ModelEvent[];

/** The same stream, whose call is over with it, or when its caller has left and reads no further. */
export function countedStream(
  stream: AsyncIterable<Batch>,
  call: RunningCall,
  signal: AbortSignal,
): AsyncIterable<Batch> {
  const iterator = stream[Symbol.asyncIterator]();
  const over = (): void => {
    signal.removeEventListener('abort', over);
    call.over();
  };
  if (signal.aborted) over();
  else signal.addEventListener('abort', over);
  const counted: AsyncIterator<Batch> = {
    async next() {
      try {
        const next = await iterator.next();
        if (next.done === true) over();
        return next;
      } catch (error) {
        over();
        throw error;
      }
    },
    return(value) {
      over();
      return iterator.return?.(value) ?? Promise.resolve({ done: true, value: undefined });
    },
  };
  return { [Symbol.asyncIterator]: () => counted };
}
