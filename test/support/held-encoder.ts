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
