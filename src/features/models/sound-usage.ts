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
  const iterator = stream[Symbol.asyncIterator]();
  const tokensMax = (contextTokensMax ?? contextTokensUsual) * contextsMax;
  let units = 0;

  const isUnsound = (event: ModelEvent): boolean => {
    if (event.type === 'text-delta' || event.type === 'reasoning-delta') units += event.text.length;
    else if (event.type === 'tool-call-delta') units += event.arguments.length;
    return event.type === 'usage' && !isSound(event.usage, tokensMax);
  };
  const correct = (event: ModelEvent): ModelEvent =>
    event.type === 'usage'
      ? { type: 'usage', usage: plainUsage(estimateRequestTokens(request), estimateOutput(units)) }
      : event;
  /** Sound batches pass as they are: a batch for each packet of a stream is not copied. */
  const checked = (result: IteratorResult<Batch>): IteratorResult<Batch> => {
    if (result.done === true) return result;
    let isWrong = false;
    for (const event of result.value) if (isUnsound(event)) isWrong = true;
    return isWrong ? { done: false, value: result.value.map(correct) } : result;
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

/** Usage without a cache or reasoning, as far as they are known. Unit: tokens. */
export function plainUsage(input: number, output: number): ModelUsage {
  return { input, output, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
}

/** An estimate for output of so many UTF-16 units. Unit: tokens. */
export const estimateOutput = (units: number): number => Math.ceil(units / unitsPerToken);
