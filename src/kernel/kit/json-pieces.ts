import { readScanned } from './json-parse.ts';
import { scanJson } from './json-scan.ts';
import { endOfString, parseString } from './json-string.ts';
import { isJsonObject, type Json } from './json.ts';

/** A value read in pieces: small neighbours together, large values one by one. */
export interface JsonPieces {
  readonly isArray: boolean;
  readonly parts: readonly (Run | Single)[];
}

interface Run {
  readonly start: number;
  readonly end: number;
}

interface Single {
  /** Empty in arrays. */
  readonly name: string;
  /** Long strings are decoded when the text is cut. */
  readonly value: JsonPieces | string;
}

/** Cost of a value or name beside its bytes, at about 1 ns a byte. */
const itemWeight = 256;
/** Weight of a piece; a few ms to parse. */
const pieceWeight = 1_048_576;

/** Finds where to cut a valid text; null where it is not worth it. */
export function cutJson(bytes: Uint8Array): JsonPieces | null {
  return new Cutter(bytes).run();
}

/** Reads a text that was cut; yields after each piece. `isEscaped`: some names have escapes. */
export function* readPieces(bytes: Buffer, pieces: JsonPieces, isEscaped: boolean): Generator<void, Json> {
  const items: Json[] = [];
  const object: Record<string, Json> = {};
  const put = (name: string, value: Json) => {
    if (pieces.isArray) items.push(value);
    else if (name !== '__proto__') object[name] = value;
    else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  };
  for (const part of pieces.parts) {
    if ('start' in part) {
      const inner = bytes.toString('utf8', part.start, part.end);
      const run = readRun(pieces.isArray ? `[${inner}]` : `{${inner}}`, isEscaped);
      if (isJsonObject(run)) for (const name of Object.keys(run)) put(name, run[name] as Json);
      else for (const item of run as readonly Json[]) items.push(item);
      yield;
    } else {
      put(
        part.name,
        typeof part.value === 'string' ? part.value : yield* readPieces(bytes, part.value, isEscaped),
      );
    }
  }
  return pieces.isArray ? items : object;
}

function readRun(text: string, isEscaped: boolean): Json {
  if (!isEscaped) return JSON.parse(text) as Json;
  const bytes = Buffer.from(text);
  return readScanned(bytes, scanJson(bytes, { depthMax: Infinity }));
}

interface Level {
  readonly isArray: boolean;
  readonly start: Place;
  readonly parts: (Run | Single)[];
  /** Start of the current value, including its name. */
  itemStart: Place;
  /** Start of the neighbours not yet cut off; null where there is none. */
  runStart: Place | null;
  /** End of the last of them. */
  runEnd: number;
}

interface Place {
  readonly at: number;
  /** Number of values and names before it. */
  readonly items: number;
}

class Cutter {
  readonly #bytes: Uint8Array;
  readonly #levels: Level[] = [];
  #items = 0;
  #expectsName = false;
  #root: JsonPieces | null = null;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  run(): JsonPieces | null {
    const bytes = this.#bytes;
    for (let at = 0; at < bytes.length;) {
      const byte = bytes[at] as number;
      if (byte <= 0x20 || byte === 0x3a) at++;
      else if (byte === 0x2c) {
        this.#expectsName = this.#levels.at(-1)?.isArray === false;
        at++;
      } else if (byte === 0x22) at = this.#string(at, endOfString(bytes, at + 1) + 1);
      else if (byte === 0x7b || byte === 0x5b) this.#open(byte === 0x5b, at++);
      else if (byte === 0x7d || byte === 0x5d) this.#close(++at);
      else at = this.#word(at);
    }
    return this.#root;
  }

  #string(start: number, end: number): number {
    const level = this.#levels.at(-1);
    const place = { at: start, items: this.#items++ };
    if (this.#expectsName && level !== undefined) {
      level.itemStart = place;
      this.#expectsName = false;
    } else {
      const isLong = end - start >= pieceWeight;
      this.#end(place, end, isLong ? (parseString(this.#bytes, start + 1, end - 1) ?? '') : null);
    }
    return end;
  }

  #word(start: number): number {
    const bytes = this.#bytes;
    const place = { at: start, items: this.#items++ };
    let end = start + 1;
    for (; end < bytes.length; end++) {
      const byte = bytes[end] as number;
      if (byte <= 0x20 || byte === 0x2c || byte === 0x5d || byte === 0x7d) break;
    }
    this.#end(place, end, null);
    return end;
  }

  #open(isArray: boolean, at: number): void {
    const start = { at, items: this.#items++ };
    this.#levels.push({ isArray, start, parts: [], itemStart: start, runStart: null, runEnd: at });
    this.#expectsName = !isArray;
  }

  #close(end: number): void {
    const level = this.#levels.pop();
    this.#expectsName = false;
    if (level === undefined) return;
    const isCut = this.#weight(level.start, end) >= pieceWeight;
    if (isCut) cutRun(level);
    this.#end(level.start, end, isCut ? { isArray: level.isArray, parts: level.parts } : null);
  }

  /** Ends a value; `value` is set where it is a piece of its own. */
  #end(start: Place, end: number, value: Single['value'] | null): void {
    const level = this.#levels.at(-1);
    if (level === undefined) {
      if (typeof value !== 'string') this.#root = value;
      return;
    }
    if (level.isArray) level.itemStart = start;
    if (value !== null) {
      cutRun(level);
      level.parts.push({ name: level.isArray ? '' : this.#nameAt(level.itemStart.at + 1), value });
      return;
    }
    level.runStart ??= level.itemStart;
    level.runEnd = end;
    if (this.#weight(level.runStart, end) >= pieceWeight) cutRun(level);
  }

  #weight({ at, items }: Place, end: number): number {
    return end - at + (this.#items - items) * itemWeight;
  }

  #nameAt(start: number): string {
    return parseString(this.#bytes, start, endOfString(this.#bytes, start)) ?? '';
  }
}

function cutRun(level: Level): void {
  if (level.runStart === null) return;
  level.parts.push({ start: level.runStart.at, end: level.runEnd });
  level.runStart = null;
}
