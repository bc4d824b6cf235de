import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';
import { OutboundBroken, type OutboundHeaders } from './outbound-request.ts';

/**
 * Removes a content encoding, which some proxies add unasked. Every packet is flushed, so that events do not wait for
 * a full block. `bytesMax` bounds the decoded size.
 */
export function inflate(
  chunks: AsyncIterable<Buffer>,
  encoding: OutboundHeaders[string],
  bytesMax: number,
): AsyncIterable<Buffer> {
  const decoder = decoderFor(encoding);
  if (decoder === null) return chunks;
  // A failure also destroys the decoder, whose reader gets the error.
  pipeline(Readable.from(chunks), decoder).catch(() => {});
  return decoded(decoder, bytesMax);
}

function decoderFor(encoding: OutboundHeaders[string]) {
  const name = typeof encoding === 'string' ? encoding.trim().toLowerCase() : '';
  const flush = constants.Z_SYNC_FLUSH;
  if (name === 'gzip' || name === 'x-gzip') return createGunzip({ flush });
  if (name === 'deflate') return createInflate({ flush });
  if (name === 'br') return createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH });
  if (name === 'zstd') return createZstdDecompress({ flush: constants.ZSTD_e_flush });
  return null;
}

async function* decoded(decoder: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer> {
  try {
    yield* upTo(decoder, bytesMax);
  } catch (error) {
    // zlib errors carry a code; others come from the connection and stay as they are.
    const isZlib = error instanceof Error && 'code' in error && 'errno' in error;
    throw isZlib ? new OutboundBroken('cut', new Error('not decodable')) : error;
  }
}

/** Throws OutboundBroken `too_large` beyond `bytesMax`. */
export async function* upTo(chunks: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > bytesMax) throw new OutboundBroken('too_large', new Error(`more than ${bytesMax} bytes`));
    yield chunk;
  }
}
