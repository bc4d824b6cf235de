import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';
import { OutboundBroken } from './outbound-request.ts';

type Encoding = string | readonly string[] | undefined;

/**
 * Removes a content encoding, which some proxies add unasked. Every packet is flushed, so that events do not wait for
 * a full block. `bytesMax` bounds the decoded size.
 */
export function inflate(
  chunks: AsyncIterable<Buffer>,
  encoding: Encoding,
  bytesMax: number,
): AsyncIterable<Buffer> {
  const decoder = decoderFor(encoding);
  if (decoder === null) return chunks;
  // A failure also destroys the decoder, whose reader gets the error.
  pipeline(Readable.from(chunks), decoder).catch(() => {});
  return decoded(decoder, bytesMax);
}

function decoderFor(encoding: Encoding) {
  const name = typeof encoding === 'string' ? encoding.trim().toLowerCase() : '';
  const flush = constants.Z_SYNC_FLUSH;
  if (name === 'gzip' || name === 'x-gzip') return createGunzip({ flush });
  if (name === 'deflate') return createInflate({ flush });
  if (name === 'br') return createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH });
  if (name === 'zstd') return createZstdDecompress({ flush: constants.ZSTD_e_flush });
  return null;
}

async function* decoded(decoder: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of decoder) {
      size += chunk.length;
      if (size > bytesMax) throw new OutboundBroken('too_large', new Error(`more than ${bytesMax} bytes`));
      yield chunk;
    }
  } catch (error) {
    // zlib errors carry a code; others come from the connection and stay as they are.
    throw isZlibError(error) ? new OutboundBroken('cut', new Error('not decodable')) : error;
  }
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && 'errno' in error;
}
