import type { ModelEvent, ModelRequest, ModelUsage } from './model.ts';
import { estimateRequestTokens } from './token-estimate.ts';

type Batch = readonly ModelEvent[];

/** Average length of a token. Unit: UTF-16 units. */
const unitsPerToken = 4;
/** Assumed of a model whose context is unknown. Unit: tokens. */
const contextTokensUsual = 1_048_576;
const contextsMax = 100;

/** A count that a backend reported: null where there is none, NaN for a value that is no count. */
export function readCount(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : Number.NaN;
}

/** Replaces usage that cannot be, for which callers would pay: negative, in fractions, above 100 times the context. */
export function withSoundUsage(
  stream: AsyncIterable<Batch>,
  request: ModelRequest,
  contextTokensMax: number | null,
): AsyncIterable<Batch> {
  return new SoundStream(stream, request, (contextTokensMax ?? contextTokensUsual) * contextsMax);
}

class SoundStream implements AsyncIterableIterator<Batch> {
  readonly #batches: AsyncIterator<Batch>;
  readonly #request: ModelRequest;
  readonly #tokensMax: number;
  readonly #check = (result: IteratorResult<Batch>): IteratorResult<Batch> => {
    if (result.done === true || !this.#isUnsound(result.value)) return result;
    return { done: false, value: result.value.map((event) => this.#correct(event)) };
  };
  #units = 0;

  constructor(stream: AsyncIterable<Batch>, request: ModelRequest, tokensMax: number) {
    this.#batches = stream[Symbol.asyncIterator]();
    this.#request = request;
    this.#tokensMax = tokensMax;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Sound batches pass as they are: a batch for each packet of a stream is not copied. */
  next(): Promise<IteratorResult<Batch>> {
    return this.#batches.next().then(this.#check);
  }

  return(value?: unknown): Promise<IteratorResult<Batch>> {
    return this.#batches.return?.(value) ?? Promise.resolve({ done: true, value: undefined });
  }

  /** Counts what a batch says, in case that its usage has to be estimated. */
  #isUnsound(batch: Batch): boolean {
    let isUnsound = false;
    for (const event of batch) {
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') this.#units += event.text.length;
      else if (event.type === 'tool-call-delta') this.#units += event.arguments.length;
      else if (event.type === 'usage') isUnsound ||= !isSound(event.usage, this.#tokensMax);
    }
    return isUnsound;
  }

  #correct(event: ModelEvent): ModelEvent {
    if (event.type !== 'usage') return event;
    const usage = plainUsage(estimateRequestTokens(this.#request), estimateOutput(this.#units));
    return { type: 'usage', usage };
  }
}

function isSound(usage: ModelUsage, tokensMax: number): boolean {
  const { input, output, cacheRead, cacheWrite, reasoning } = usage;
  return [input, output, cacheRead, cacheWrite, reasoning].every(
    (count) => Number.isSafeInteger(count) && count >= 0 && count <= tokensMax,
  );
}

/** Usage without a cache or reasoning, as far as they are known. Unit: tokens. */
export function plainUsage(input: number, output: number): ModelUsage {
  return { input, output, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
}

/** An estimate for output of so many UTF-16 units. Unit: tokens. */
export const estimateOutput = (units: number): number => Math.ceil(units / unitsPerToken);
