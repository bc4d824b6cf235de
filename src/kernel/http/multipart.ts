import type { IncomingMessage } from 'node:http';
import type { BusboyFileStream, BusboyInstance } from '@fastify/busboy';
import { Fault } from '../faults.ts';
import type { RequestBody } from './bodies.ts';
import { tooLarge } from './body.ts';
import { notMultipart, openMultipartParser, sentTwice } from './multipart-parser.ts';
import type { MultipartBodySpec, UploadedFile } from './operation.ts';

/**
 * Reads the only file of a multipart body. Rejects with Fault `body_too_large`, which names the exceeded limit, or
 * `invalid_value`.
 */
export async function readUploadedFile(
  request: IncomingMessage,
  body: Pick<RequestBody, 'bytes'>,
  { part, bytesMax, envelopeBytesMax }: MultipartBodySpec['multipart'],
): Promise<UploadedFile> {
  const parser = openMultipartParser(request, { fileSize: bytesMax });
  const bytes = await body.bytes(bytesMax + envelopeBytesMax);
  const files = await collectFiles(parser, bytes, part);
  const [only] = files;
  if (files.some(({ truncated }) => truncated)) throw tooLarge(bytesMax);
  if (only === undefined) throw new Fault('invalid_value', `${part} is required`, { param: part });
  if (files.length > 1) throw sentTwice(part);
  return { file: Buffer.concat(only.chunks) };
}

interface Collected {
  readonly chunks: Buffer[];
  truncated: boolean;
}

/** All bytes are here, so the parser finishes without waiting. */
function collectFiles(parser: BusboyInstance, bytes: Buffer, name: string): Promise<readonly Collected[]> {
  return new Promise((resolve, reject) => {
    const files: Collected[] = [];
    const onError = (error: unknown) => {
      reject(notMultipart(error));
    };
    parser.on('file', (field: string, content: BusboyFileStream) => {
      content.on('error', onError);
      if (field !== name) {
        content.resume();
        return;
      }
      const file: Collected = { chunks: [], truncated: false };
      files.push(file);
      content.on('limit', () => (file.truncated = true));
      content.on('data', (chunk: Buffer) => file.chunks.push(chunk));
    });
    parser.on('error', onError);
    parser.on('finish', () => {
      resolve(files);
    });
    parser.end(bytes);
  });
}
