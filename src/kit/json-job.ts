import { JsonError } from './json-error.ts';
import { readScanned } from './json-parse.ts';
import type { Json } from './json.ts';
import { scanJson, type JsonLimits } from './json-scan.ts';

/** What the JSON thread is asked for. */
export interface JsonJob {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly limits: JsonLimits;
}

/**
 * Its answer. `scanned`: the text holds many small values; to take them over from another thread costs two to five times
 * what `JSON.parse` does, so the text comes back to be parsed where its value is needed.
 */
export type JsonJobReply =
  | (Read & { readonly kind: 'value'; readonly value: Json })
  | (Read & { readonly kind: 'scanned' })
  | {
      readonly kind: 'refused';
      readonly reason: JsonError['kind'];
      readonly path: readonly string[];
      readonly key: string;
    };

interface Read {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** As `JsonScan` has them. */
  readonly integers: Int32Array<ArrayBuffer> | null;
}

/** Texts of fewer bytes for each value or name are parsed where they are needed. */
const sparseBytes = 64;

/** The work of the JSON thread. */
export function doJsonJob({ bytes, limits }: JsonJob): JsonJobReply {
  try {
    const scan = scanJson(bytes, limits);
    const { integers } = scan;
    const isDense = bytes.length < scan.items * sparseBytes;
    if (isDense && scan.duplicate === null && scan.escapedNames.length === 0)
      return { kind: 'scanned', bytes, integers };
    return { kind: 'value', value: readScanned(bytes, scan), bytes, integers };
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
