import { readJson } from './json-reader.ts';

/** Any value that JSON can carry. Objects made by the parser may own keys such as `__proto__`. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Why a text was refused. `path` leads to the object that holds the duplicate key, names raw. */
export class JsonError extends Error {
  readonly kind: 'syntax' | 'duplicate' | 'depth';
  readonly key: string;
  readonly path: readonly string[];

  constructor(kind: JsonError['kind'], path: readonly string[] = [], key = '') {
    super(`JSON refused: ${kind}`);
    this.name = 'JsonError';
    this.kind = kind;
    this.path = path;
    this.key = key;
  }
}

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
 * Parses UTF-8 JSON and refuses what `JSON.parse` lets through: duplicate keys (compared after escape
 * decoding) and nesting over `depthMax` levels (the outermost value is level 1). Throws JsonError. One pass
 * over the text beside `JSON.parse`; strings are skipped with `indexOf`, so 32 MB of base64 costs about as
 * much as decoding it.
 */
export function parseJson(bytes: Uint8Array, depthMax: number): ParsedJson {
  const text = decode(bytes);
  const found = scan(text, depthMax);
  const value = parseValid(text, found.hasEscapedLetterKey ? readJson : JSON.parse);
  if (found.duplicate !== null) throw found.duplicate;
  const orders = resolveOrders(value, found.orders);
  return { value, keysOf: (object) => orders.get(object) ?? Object.keys(object) };
}

function parseValid(text: string, read: (text: string) => unknown): Json {
  try {
    return read(text) as Json;
  } catch {
    throw new JsonError('syntax');
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new JsonError('syntax');
  }
}

/** One open object or array of the scan. */
interface Level {
  /** Null for an array. */
  readonly keys: Set<string> | null;
  key: string;
  index: number;
  indexLike: boolean;
}

interface Order {
  readonly path: readonly string[];
  readonly keys: readonly string[];
}

interface Scan {
  readonly duplicate: JsonError | null;
  /** Objects whose own order JavaScript would lose. */
  readonly orders: readonly Order[];
  /** See `json-reader.ts`. */
  readonly hasEscapedLetterKey: boolean;
}

const indexLikeName = /^(?:0|[1-9]\d{0,9})$/;

/** Reads structure only; a malformed text is left to `JSON.parse` to refuse. */
function scan(text: string, depthMax: number): Scan {
  const levels: Level[] = [];
  const orders: Order[] = [];
  let duplicate: JsonError | null = null;
  let top: Level | undefined;
  let expectKey = false;
  let hasEscapedLetterKey = false;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: {
        const end = endOfString(text, i + 1);
        if (end < 0) throw new JsonError('syntax');
        if (expectKey && top?.keys) {
          const key = readKey(text, i, end);
          hasEscapedLetterKey ||= key.length === 1 && end - i > 2;
          if (duplicate === null && top.keys.has(key)) {
            duplicate = new JsonError('duplicate', pathOf(levels), key);
          }
          top.keys.add(key);
          top.key = key;
          top.indexLike ||= indexLikeName.test(key);
          expectKey = false;
        }
        i = end;
        break;
      }
      case 0x7b:
      case 0x5b: {
        const isObject = text.charCodeAt(i) === 0x7b;
        top = { keys: isObject ? new Set() : null, key: '', index: 0, indexLike: false };
        levels.push(top);
        if (levels.length > depthMax) throw new JsonError('depth', pathOf(levels));
        expectKey = isObject;
        break;
      }
      case 0x7d:
      case 0x5d:
        levels.pop();
        if (top?.keys && top.indexLike) orders.push({ path: pathOf(levels, true), keys: [...top.keys] });
        top = levels.at(-1);
        expectKey = false;
        break;
      case 0x2c:
        if (top) top.index++;
        expectKey = Boolean(top?.keys);
        break;
      default:
        if (startsNumber(text.charCodeAt(i))) i = endOfNumber(text, i) - 1;
    }
  }
  return { duplicate, orders, hasEscapedLetterKey };
}

/** Position of the quote that closes a string whose text begins at `from`; -1 when none does. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (end >= 0) {
    let slashes = 0;
    while (end - slashes > from && text.charCodeAt(end - slashes - 1) === 0x5c) slashes++;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}

function startsNumber(code: number): boolean {
  return code === 0x2d || (code >= 0x30 && code <= 0x39);
}

/** Position after a number. One that float64 cannot hold would be written back as null, so it is refused. */
function endOfNumber(text: string, from: number): number {
  let end = from + 1;
  let exponent = false;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    const isExponent = code === 0x65 || code === 0x45;
    exponent ||= isExponent;
    const isDigit = code >= 0x30 && code <= 0x39;
    if (!isDigit && !isExponent && code !== 0x2e && code !== 0x2b && code !== 0x2d) break;
  }
  if ((exponent || end - from > 300) && Math.abs(Number(text.slice(from, end))) === Infinity) {
    throw new JsonError('syntax');
  }
  return end;
}

function readKey(text: string, quote: number, end: number): string {
  const raw = text.slice(quote + 1, end);
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(text.slice(quote, end + 1)) as string;
  } catch {
    return raw;
  }
}

/** Names and indices that lead to the innermost level, or, with `inclusive`, to the value inside it. */
function pathOf(levels: readonly Level[], inclusive = false): string[] {
  const outer = inclusive ? levels : levels.slice(0, -1);
  return outer.map((level) => (level.keys ? level.key : String(level.index)));
}

function resolveOrders(root: Json, orders: readonly Order[]): Map<JsonObject, readonly string[]> {
  const resolved = new Map<JsonObject, readonly string[]>();
  for (const { path, keys } of orders) {
    let value: Json | undefined = root;
    for (const step of path) {
      value = typeof value === 'object' && value !== null ? (value as JsonObject)[step] : undefined;
    }
    if (isJsonObject(value)) resolved.set(value, keys);
  }
  return resolved;
}
