import { Fault } from '../../kernel/faults.ts';
import { type ModelEvent, emptyRequest, type Model, type ModelRequest } from './model.ts';
import type { CallVerdict } from '../../kernel/kit/breakers.ts';

type Batch = readonly ModelEvent[];

/**
 * Waits for the first output of a stream and returns the stream from its beginning. Until then another backend may be
 * asked, because the caller has seen nothing of this one. What comes later passes as the backend's own promises:
 * no generator stands between, so a stream of many deltas pays nothing for it. Throws what the stream throws.
 */
export async function awaitFirstOutput(stream: AsyncIterable<Batch>): Promise<AsyncIterable<Batch>> {
  const iterator = stream[Symbol.asyncIterator]();
  let usage: ModelEvent | null = null;
  for (;;) {
    const next = await iterator.next();
    if (next.done) {
      throw new Fault('bad_gateway', undefined, { cause: new Error('the stream ended without an event') });
    }
    if (next.value.some(({ type }) => type !== 'usage')) {
      return new Resumed(iterator, usage === null ? next.value : [usage, ...next.value]);
    }
    // Usage replaces the usage before it, so only the last one is kept.
    usage = next.value.at(-1) ?? usage;
  }
}

/** A class, because an object whose method is named by a symbol is made by V8's runtime, for each request. */
class Resumed implements AsyncIterableIterator<Batch> {
  readonly #rest: AsyncIterator<Batch>;
  #first: Batch | null;

  constructor(rest: AsyncIterator<Batch>, first: Batch) {
    this.#rest = rest;
    this.#first = first;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Batch>> {
    if (this.#first === null) return this.#rest.next();
    const value = this.#first;
    this.#first = null;
    return Promise.resolve({ done: false, value });
  }

  return(value?: unknown): Promise<IteratorResult<Batch>> {
    return this.#rest.return?.(value) ?? Promise.resolve({ done: true, value: undefined });
  }
}

/** The smallest real request. Listing models would be no test: servers do it even when nothing else works. */
export const smallestRequest: ModelRequest = {
  ...emptyRequest,
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'Answer with the word ok.' }] }],
  outputTokensMax: 16,
};

/** Asks for a word and leaves with the first output, after waiting as long as a caller would. Rejects when aborted. */
export async function probeModel(model: Model, signal: AbortSignal): Promise<CallVerdict> {
  const leaving = new AbortController();
  try {
    await awaitFirstOutput(model.stream(smallestRequest, AbortSignal.any([signal, leaving.signal])));
    return 'answered';
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Fault)) return 'unknown';
    return error.away ? 'away' : 'answered';
  } finally {
    leaving.abort(new Error('answered'));
  }
}
