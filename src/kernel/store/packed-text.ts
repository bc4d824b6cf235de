import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';

/** Prefix of compressed texts. No JSON text begins like this. */
const mark = 'gzip:';
/** Shorter texts would gain nothing. */
const charsMin = 1_024;

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/** Compresses in the thread pool. */
export async function packText(text: string): Promise<string> {
  if (text.length < charsMin) return text;
  const packed = mark + (await zip(text, { level: constants.Z_BEST_SPEED })).toString('base64');
  return packed.length < text.length ? packed : text;
}

export async function unpackText(stored: string): Promise<string> {
  if (!stored.startsWith(mark)) return stored;
  return (await unzip(Buffer.from(stored.slice(mark.length), 'base64'))).toString('utf8');
}
