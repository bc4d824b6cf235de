import { JsonError } from './json-error.ts';
import { createKeysOf } from './json-order.ts';
import { readJson } from './json-reader.ts';
import type { Json, JsonObject } from './json.ts';
import { scanJson, type JsonLimits, type JsonScan } from './json-scan.ts';

export interface ParsedJson {
  readonly value: Json;
  /**
   * The names of an object of `value` in the order of the text. JavaScript moves names such as "10" to the
   * front of an object, so whoever reports "the first" of something has to ask here.
   */
  readonly keysOf: (object: JsonObject) => readonly string[];
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses UTF-8 JSON and refuses what `JSON.parse` lets through: duplicate names (compared after escape decoding), more
 * levels or items than allowed, numbers out of range. Throws JsonError. All in all it costs at most three times
 * `JSON.parse`, for any shape of text: see `npm run bench json`.
 */
export function parseJson(bytes: Uint8Array, limits: JsonLimits): ParsedJson {
  const value = readScanned(bytes, scanJson(bytes, limits));
  return { value, keysOf: createKeysOf(value, bytes) };
}

/** The value of a text that was scanned. Throws JsonError. */
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
