import { pipeline, Readable, type Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import { errorCode } from './errors.ts';

export class BodyRefusal extends Error {
  override readonly name = 'BodyRefusal';
  readonly failure: 'too_large' | 'encoding' | 'busy';

  constructor(failure: BodyRefusal['failure']) {
    super(failure);
    this.failure = failure;
  }
}

interface BodyLimits {
  /** Of the decoded body. */
  readonly bytesMax: number;
  /** Called with the size of every decoded chunk; false ends the reading. */
  readonly claim: (bytes: number) => boolean;
}

export const acceptedEncodings = 'gzip, deflate, br, zstd';

// Text compresses 10 times, tables and logs 50 times; a gzip bomb 1,030 times, brotli and zstd millions of times.
const ratioMax = 200;
const ratioBytesMin = 1_048_576;

/** Reads and decodes a body within its bounds. Rejects with BodyRefusal, or with the connection's error. */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  encoding: string,
  { bytesMax, claim }: BodyLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  const wire = { bytes: 0 };
  let size = 0;
  for await (const chunk of await decoded(countedBy(wire, body, bytesMax), encoding)) {
    size += chunk.length;
    if (size > bytesMax) throw new BodyRefusal('too_large');
    if (!claim(chunk.length)) throw new BodyRefusal('busy');
    if (size > ratioBytesMin && size > wire.bytes * ratioMax) throw new BodyRefusal('encoding');
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Whether `readBody` can decode it. Stacked encodings are refused: each may multiply the size. */
export function isKnownEncoding(encoding: string): boolean {
  return ['', 'identity', 'gzip', 'x-gzip', 'deflate', 'br', 'zstd'].includes(encoding);
}

async function* countedBy(
  wire: { bytes: number },
  body: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of body) {
    wire.bytes += chunk.length;
    if (wire.bytes > bytesMax) throw new BodyRefusal('too_large');
    yield chunk;
  }
}

async function decoded(
  body: AsyncGenerator<Uint8Array, void, undefined>,
  encoding: string,
): Promise<AsyncIterable<Uint8Array>> {
  if (encoding === '' || encoding === 'identity') return body;
  const first = await body.next();
  if (first.done === true) return body;
  const decoder = decoderOf(encoding, first.value);
  const source = Readable.from(resume(first.value, body), { objectMode: false });
  return decodedBy(source, decoder);
}

async function* resume(
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield first;
  yield* rest;
}

async function* decodedBy(source: Readable, decoder: Transform): AsyncGenerator<Uint8Array, void, undefined> {
  // The reader of the decoder receives the error.
  pipeline(source, decoder, () => {});
  try {
    for await (const chunk of decoder) yield chunk as Uint8Array;
  } catch (error) {
    throw isZlibError(error) ? new BodyRefusal('encoding') : error;
  }
}

function decoderOf(encoding: string, first: Uint8Array): Transform {
  // Like curl and browsers, keeps what was decoded before a premature end.
  const lenient = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
  switch (encoding) {
    case 'br':
      return createBrotliDecompress({
        flush: constants.BROTLI_OPERATION_FLUSH,
        finishFlush: constants.BROTLI_OPERATION_FLUSH,
      });
    case 'zstd':
      // Frames may ask for a window of 2 GiB; browsers allow 8 MiB.
      return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } });
    case 'deflate':
      // Some servers send raw deflate instead of zlib.
      return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate(lenient) : createInflateRaw(lenient);
    default:
      return createGunzip(lenient);
  }
}

function isZlibError(error: unknown): boolean {
  return /^(?:Z_|ERR_BROTLI|ERR_ZSTD|ERR__ERROR|ZSTD_)/.test(errorCode(error) ?? '');
}
