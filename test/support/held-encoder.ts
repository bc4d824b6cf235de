import { after } from 'node:test';
import { shareEncoder, type OpenEncoder } from '../../src/features/models/feature.ts';

/**
 * The shipped encoder for all tests of a file, as all of a server share one: each that is opened anew reads the weights, a
 * second of CPU. To be called where the file begins.
 */
export function holdEncoder(): OpenEncoder {
  const open = shareEncoder();
  const held = open();
  after(async () => (await held).close());
  return open;
}
