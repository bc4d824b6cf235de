import { runInSlices } from './slices.ts';
import { countInto, type TokenCount } from './words.ts';

/** Characters per step; about 1 ms. */
const stretchChars = 262_144;

/** Like `countTokens`, yielding after each step. */
export function* countInSteps(text: string): Generator<void, number> {
  const count: TokenCount = { tokens: 0, run: 0 };
  for (let from = 0; from < text.length; from += stretchChars) {
    countInto(count, text, from, Math.min(text.length, from + stretchChars));
    yield;
  }
  return count.tokens;
}

/** Counts the tokens of each text in slices. Rejects with the signal's reason. */
export function countEach(texts: readonly string[], signal: AbortSignal): Promise<readonly number[]> {
  return runInSlices(eachInSteps(texts), signal);
}

export async function countAll(texts: readonly string[], signal: AbortSignal): Promise<number> {
  return (await countEach(texts, signal)).reduce((sum, tokens) => sum + tokens, 0);
}

function* eachInSteps(texts: readonly string[]): Generator<void, readonly number[]> {
  const counts: number[] = [];
  for (const text of texts) counts.push(yield* countInSteps(text));
  return counts;
}
