/** Worker of `JsonThread`. */
import { parentPort } from 'node:worker_threads';
import { answerJob } from './job-worker.ts';
import { JsonError, type Json } from './json.ts';
import { readScanned } from './json-parse.ts';
import { cutJson, type JsonPieces } from './json-pieces.ts';
import { scanJson, type JsonLimits } from './json-scan.ts';

export interface JsonJob {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly limits: JsonLimits;
}

/**
 * Reply of the JSON thread. Transferring a large value costs two to five times `JSON.parse`, all at once; so the text
 * comes back with the places to cut it, to be parsed in slices.
 */
export type JsonJobReply =
  | {
      readonly kind: 'read';
      readonly bytes: Uint8Array<ArrayBuffer>;
      /** See `JsonScan`. */
      readonly integers: Int32Array<ArrayBuffer> | null;
      /** Whether some names are written with escapes. */
      readonly isEscaped: boolean;
      /** Null for a value that is transferred itself: a number, or a string. */
      readonly pieces: JsonPieces | null;
      readonly value: Json;
    }
  | {
      readonly kind: 'refused';
      readonly reason: JsonError['kind'];
      readonly path: readonly string[];
      readonly key: string;
    };

function doJsonJob({ bytes, limits }: JsonJob): JsonJobReply {
  try {
    const scan = scanJson(bytes, limits);
    // Parsed here too, since only parsing shows that the text is valid.
    const value = readScanned(bytes, scan);
    const pieces = cutJson(bytes);
    const { integers, escapedNames } = scan;
    const isEscaped = escapedNames.length > 0;
    return { kind: 'read', bytes, integers, isEscaped, pieces, value: pieces === null ? value : null };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { kind: 'refused', reason: error.kind, path: error.path, key: error.key };
  }
}

/** Buffers of the reply that are transferred. */
function movedOf(reply: JsonJobReply): readonly ArrayBuffer[] {
  if (reply.kind === 'refused') return [];
  const { bytes, integers } = reply;
  return integers === null ? [bytes.buffer] : [bytes.buffer, integers.buffer];
}

const port = parentPort;
port?.on('message', (job: JsonJob) => void answerJob(port, () => doJsonJob(job), movedOf));
