import { keepDigits } from './json-digits.ts';
import { JsonError, type Json, type JsonObject } from './json.ts';
import { createKeysOf } from './json-order.ts';
import { readJson } from './json-reader.ts';
import { scanJson, type JsonLimits, type JsonScan } from './json-scan.ts';
import { runInSlices } from './slices.ts';

export interface ParsedJson {
  readonly value: Json;
  /** Names of an object of `value` in the order of the text: JavaScript moves names such as "10" to the front. */
  readonly keysOf: (object: JsonObject) => readonly string[];
  /** Makes the validated value keep every digit of its integers when written; null where none would be lost. */
  readonly keepDigits: ((signal: AbortSignal) => Promise<void>) | null;
}

const longDigits = /\d{16}/;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses UTF-8 JSON and refuses what `JSON.parse` accepts: duplicate names (after decoding escapes), too many levels
 * or items, numbers out of range. Throws JsonError. Costs at most three times `JSON.parse` for any text: `npm run
 * bench json`.
 */
export function parseJson(bytes: Uint8Array, limits: JsonLimits): ParsedJson {
  const scan = scanJson(bytes, limits);
  return toParsed(readScanned(bytes, scan), bytes, scan.integers);
}

/** The result of `parseJson` for a value that was read and scanned. */
export function toParsed(value: Json, bytes: Uint8Array, integers: Int32Array | null): ParsedJson {
  const keep = (notes: Int32Array) => (signal: AbortSignal) =>
    runInSlices(keepDigits(value, bytes, notes), signal);
  return { value, keysOf: createKeysOf(value, bytes), keepDigits: integers === null ? null : keep(integers) };
}

/** Like `JSON.parse`, for text written here: integers keep every digit when written again. Throws SyntaxError. */
export function parseWritten(text: string): Json {
  const value = JSON.parse(text) as Json;
  if (!longDigits.test(text)) return value;
  const bytes = Buffer.from(text);
  const { integers } = scanJson(bytes, { depthMax: Infinity });
  if (integers !== null) for (const _ of keepDigits(value, bytes, integers));
  return value;
}

/** The value of a scanned text. Throws JsonError. */
export function readScanned(
  bytes: Uint8Array,
  { duplicate, escapedNames }: Pick<JsonScan, 'duplicate' | 'escapedNames'>,
): Json {
  const value = read(bytes, escapedNames);
  if (duplicate !== null) throw duplicate;
  return value;
}

function read(bytes: Uint8Array, escapedNames: readonly string[]): Json {
  try {
    const text = decoder.decode(bytes);
    return escapedNames.length > 0 ? readJson(text, escapedNames) : (JSON.parse(text) as Json);
  } catch {
    throw new JsonError('syntax');
  }
}
