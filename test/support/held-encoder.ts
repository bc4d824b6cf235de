import assert from 'node:assert/strict';
import { after } from 'node:test';
import { shareEncoder, type OpenEncoder } from '../../src/features/models/feature.ts';
import { closeAtEnd } from './process-end.ts';

/** The one encoder of this process, as all of a server share one. It closes with the last who has it. */
export const processEncoder: OpenEncoder = shareEncoder();

let isHeld = false;

/**
 * The same, kept for all tests of a file, and for those of the files after it: each that is opened anew reads the weights, a
 * second of CPU. To be called where the file begins.
 */
export function holdEncoder(): OpenEncoder {
  if (isHeld) return processEncoder;
  const held = processEncoder();
  const close = async () => (await held).close();
  isHeld = closeAtEnd(close);
  if (!isHeld) after(close);
  return processEncoder;
}

/**
 * The same encoder with a memory of the rows that this process has read, for servers of which it is no part of what is
 * tested: a row gives the same bytes whatever is asked beside it, and whenever.
 */
export function remembering(open: OpenEncoder): OpenEncoder {
  const known = new Map<string, Float32Array>();
  return async () => {
    const encoder = await open();
    const run: typeof encoder.run = async (rows, signal, account) => {
      const keys = rows.map((row) => JSON.stringify(row));
      const isNew = keys.map((key, at) => !known.has(key) && keys.indexOf(key) === at);
      const left = rows.filter((_, at) => isNew[at]);
      const read = left.length === 0 ? [] : await encoder.run(left, signal, account);
      for (const [at, key] of keys.filter((_, index) => isNew[index]).entries())
        known.set(key, read[at] ?? assert.fail('a row was not read'));
      // Whoever asked may write into it.
      return keys.map((key) => known.get(key)?.slice() ?? assert.fail('a row was forgotten'));
    };
    return { ...encoder, run };
  };
}
