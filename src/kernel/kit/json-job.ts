import { JsonError } from './json-error.ts';
import { readScanned } from './json-parse.ts';
import { cutJson, type JsonPieces } from './json-pieces.ts';
import type { Json } from './json.ts';
import { scanJson, type JsonLimits } from './json-scan.ts';

/** A request to the JSON thread. */
export interface JsonJob {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly limits: JsonLimits;
}

/**
 * Its answer. To take a value of many parts over from another thread costs two to five times what `JSON.parse` does, and
 * all at once; so the text comes back, with the places where it can be cut, to be read in slices.
 */
export type JsonJobReply =
  | {
      readonly kind: 'read';
      readonly bytes: Uint8Array<ArrayBuffer>;
      /** As `JsonScan` has them. */
      readonly integers: Int32Array<ArrayBuffer> | null;
      /** Where some names are written with escapes. */
      readonly isEscaped: boolean;
      /** Null for a value that is handed over as it is: a number, or a string. */
      readonly pieces: JsonPieces | null;
      readonly value: Json;
    }
  | {
      readonly kind: 'refused';
      readonly reason: JsonError['kind'];
      readonly path: readonly string[];
      readonly key: string;
    };

/** The work of the JSON thread. */
export function doJsonJob({ bytes, limits }: JsonJob): JsonJobReply {
  try {
    const scan = scanJson(bytes, limits);
    // Read here as well, since only a whole text shows that it is valid.
    const value = readScanned(bytes, scan);
    const pieces = cutJson(bytes);
    const isEscaped = scan.escapedNames.length > 0;
    return {
      kind: 'read',
      bytes,
      integers: scan.integers,
      isEscaped,
      pieces,
      value: pieces === null ? value : null,
    };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { kind: 'refused', reason: error.kind, path: error.path, key: error.key };
  }
}

/** What of an answer is moved, not copied. */
export function movedOf(reply: JsonJobReply): readonly ArrayBuffer[] {
  if (reply.kind === 'refused') return [];
  const { bytes, integers } = reply;
  return integers === null ? [bytes.buffer] : [bytes.buffer, integers.buffer];
}
