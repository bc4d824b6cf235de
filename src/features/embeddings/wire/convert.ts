import type { EmbeddingSize } from '../embedding.ts';
import { encode, type EmbeddingEncoding } from '../encode.ts';
import { Fault } from '../../../kernel/faults.ts';
import { runInSlices } from '../../../kernel/kit/slices.ts';
import type { Embedder } from './embedders.ts';
import type { EmbeddingObject, EmbeddingUsage } from './schema.ts';

/** Unit: tokens. Of one text, or of one document with its chunks. */
const textTokensMax = 32_768;
/** Of one request. */
const requestTokensMax = 120_000;

/** No text that says anything has so few tokens that one of them stands for more. Unit: UTF-16 units. */
const tokenUnitsMax = 32;

/**
 * Refuses by their lengths alone what is far beyond the limits: to count the tokens of 30 MB takes a model a minute, in
 * which nobody else is answered. Throws as `sumTokens` does.
 */
export function refuseHuge(lengths: readonly number[], noun: 'text' | 'document'): void {
  const huge = lengths.findIndex((length) => length > textTokensMax * tokenUnitsMax);
  if (huge !== -1)
    throw tooMuch(
      ['body', 'input', String(huge)],
      `${noun} ${huge} has ${lengths[huge]} characters, at most ${textTokensMax} tokens are permitted`,
    );
  const sum = lengths.reduce((total, length) => total + length, 0);
  if (sum > requestTokensMax * tokenUnitsMax)
    throw tooMuch(
      ['body', 'input'],
      `input has ${sum} characters, at most ${requestTokensMax} tokens are permitted`,
    );
}

export const lengthsOf = (texts: readonly string[]): readonly number[] => texts.map(({ length }) => length);

/** How vectors are sent. */
export interface Form {
  readonly dimensions: number;
  readonly encoding: EmbeddingEncoding;
}

interface AskedForm {
  readonly dimensions?: number | null;
  readonly encoding_format?: string | null;
}

export function toForm({ dimensions, encoding_format: encoding }: AskedForm, size: EmbeddingSize): Form {
  return {
    dimensions: dimensions ?? size,
    encoding: encoding === 'base64_binary' ? 'base64_binary' : 'base64_int8',
  };
}

/** The sum of the counts. Throws Fault `validation_failed` when one, or all together, are too much. */
export function sumTokens(counts: readonly number[], noun: 'text' | 'document'): number {
  const tooLong = counts.findIndex((count) => count > textTokensMax);
  if (tooLong !== -1)
    throw tooMuch(
      ['body', 'input', String(tooLong)],
      `${noun} ${tooLong} has ${counts[tooLong]} tokens, at most ${textTokensMax} are permitted`,
    );
  const sum = counts.reduce((total, count) => total + count, 0);
  if (sum > requestTokensMax)
    throw tooMuch(['body', 'input'], `input has ${sum} tokens, at most ${requestTokensMax} are permitted`);
  return sum;
}

function tooMuch(loc: readonly string[], msg: string): Fault {
  const param = loc.slice(1).join('.');
  return new Fault('validation_failed', `${param}: ${msg}`, {
    param,
    details: [{ loc, msg, type: 'value_error' }],
  });
}

/** Encodes in slices. Rejects as the signal says. */
export function toObjects(
  vectors: readonly Float32Array[],
  form: Form,
  signal: AbortSignal,
): Promise<readonly EmbeddingObject[]> {
  return runInSlices(objectsInSteps(vectors, form), signal);
}

function* objectsInSteps(
  vectors: readonly Float32Array[],
  { dimensions, encoding }: Form,
): Generator<void, readonly EmbeddingObject[]> {
  const objects: EmbeddingObject[] = [];
  for (const [index, vector] of vectors.entries()) {
    objects.push({ object: 'embedding', index, embedding: encode(vector, dimensions, encoding) });
    yield;
  }
  return objects;
}

export function toUsage(tokens: number, { priceUsdPerMillion }: Embedder): EmbeddingUsage {
  const cost = (tokens * priceUsdPerMillion) / 1e6;
  return {
    prompt_tokens: tokens,
    total_tokens: tokens,
    cost: { input_cost: cost, total_cost: cost, currency: 'USD' },
  };
}
