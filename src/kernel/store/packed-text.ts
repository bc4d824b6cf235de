import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';

/** Texts that repeat themselves are kept packed. No JSON text begins like this. */
const mark = 'gzip:';
/** Shorter ones would win nothing. */
const charsMin = 1_024;

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/** In a thread of libuv, so that nothing waits for it. */
export async function packText(text: string): Promise<string> {
  if (text.length < charsMin) return text;
  const packed = mark + (await zip(text, { level: constants.Z_BEST_SPEED })).toString('base64');
  return packed.length < text.length ? packed : text;
}

export async function unpackText(stored: string): Promise<string> {
  if (!stored.startsWith(mark)) return stored;
  return (await unzip(Buffer.from(stored.slice(mark.length), 'base64'))).toString('utf8');
}
