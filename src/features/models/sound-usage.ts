import type { ModelEvent, ModelRequest, ModelUsage } from './model.ts';
import { estimateRequestTokens } from './token-estimate.ts';

type Batch = readonly ModelEvent[];

/** A usual word of a tokenizer. Unit: UTF-16 units. */
const unitsPerToken = 4;
/** Of a model whose context nobody told. Unit: tokens. */
const contextTokensUsual = 1_048_576;
const contextsMax = 100;

/** A count as a backend told it: null where there is none, NaN for what counts nothing. */
export function readCount(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : Number.NaN;
}

/**
 * The same stream, with our own estimate in place of usage that cannot be: negative, in fractions, or above a hundred
 * times the context. A caller pays for what a backend tells, so what it tells is checked where it comes in.
 */
export function withSoundUsage(
  stream: AsyncIterable<Batch>,
  request: ModelRequest,
  contextTokensMax: number | null,
): AsyncIterable<Batch> {
  const iterator = stream[Symbol.asyncIterator]();
  const tokensMax = (contextTokensMax ?? contextTokensUsual) * contextsMax;
  let units = 0;

  const isUnsound = (event: ModelEvent): boolean => {
    if (event.type === 'text-delta' || event.type === 'reasoning-delta') units += event.text.length;
    else if (event.type === 'tool-call-delta') units += event.arguments.length;
    return event.type === 'usage' && !isSound(event.usage, tokensMax);
  };
  const mend = (event: ModelEvent): ModelEvent =>
    event.type === 'usage' ? { type: 'usage', usage: estimate(request, units) } : event;
  /** What is sound goes on as it came: a batch for each packet of a stream is not copied. */
  const checked = (result: IteratorResult<Batch>): IteratorResult<Batch> => {
    if (result.done === true) return result;
    let mends = false;
    for (const event of result.value) if (isUnsound(event)) mends = true;
    return mends ? { done: false, value: result.value.map(mend) } : result;
  };
  const own: AsyncIterator<Batch> = {
    next: () => iterator.next().then(checked),
    return: (value) => iterator.return?.(value) ?? Promise.resolve({ done: true, value: undefined }),
  };
  return { [Symbol.asyncIterator]: () => own };
}

function isSound(usage: ModelUsage, tokensMax: number): boolean {
  const { input, output, cacheRead, cacheWrite, reasoning } = usage;
  return [input, output, cacheRead, cacheWrite, reasoning].every(
    (count) => Number.isSafeInteger(count) && count >= 0 && count <= tokensMax,
  );
}

function estimate(request: ModelRequest, units: number): ModelUsage {
  const output = Math.ceil(units / unitsPerToken);
  return { input: estimateRequestTokens(request), output, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
}
