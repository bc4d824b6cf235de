import { toExactNumber } from './json-exact.ts';
import { endOfString, parseString } from './json-string.ts';
import type { Json } from './json.ts';

/** Integers of up to this many digits are exact doubles. */
const digitsExact = 15;

/**
 * Positions of the integers in a text that a double may not hold. A place is the index in an array, or where the
 * value's name begins. Places shared with the previous note are not repeated, so notes are never longer than the
 * text.
 */
export class IntegerNotes {
  /** Per note: start and end of the number, number of shared places, depth, and the places not shared. */
  readonly #notes: number[] = [];
  #last: number[] = [];

  /** The first `depth` of `places` lead to the number. */
  add(start: number, end: number, places: readonly number[], depth: number): void {
    let shared = 0;
    while (shared < depth && places[shared] === this.#last[shared]) shared++;
    this.#notes.push(start, end, shared, depth);
    for (let level = shared; level < depth; level++) this.#notes.push(places[level] as number);
    this.#last = places.slice(0, depth);
  }

  toArray(): Int32Array<ArrayBuffer> | null {
    return this.#notes.length === 0 ? null : Int32Array.from(this.#notes);
  }
}

/** Whether an integer of at least 15 digits may exceed 2^53. */
export function mayExceedDouble(bytes: Uint8Array, start: number, end: number): boolean {
  const from = bytes[start] === 0x2d ? start + 1 : start;
  return end - from > digitsExact + 1 || (end - from > digitsExact && bytes[from] === 0x39);
}

/**
 * Makes `JSON.stringify` write the integers of a value as they were sent, while the value itself keeps its numbers,
 * as validated. Each container of such an integer gets a non-enumerable `toJSON`; a copy has none, see `withDigits`.
 * Yields after each number.
 */
export function* keepDigits(root: Json, bytes: Uint8Array, notes: Int32Array): Generator<void, void> {
  const containers: Container[] = [root as Container];
  const kept = new Map<Container, Exact[]>();
  let at = 0;
  const next = () => notes[at++] as number;
  while (at < notes.length) {
    const [start, end, shared, depth] = [next(), next(), next(), next()];
    let key: string | number = '';
    for (let level = shared; level < depth; level++) {
      const container = containers[level] as Container;
      key = keyOf(container, next(), bytes);
      if (level < depth - 1) containers[level + 1] = container[key] as Container;
    }
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
    if (String(Number(text)) !== text) {
      keep(containers[depth - 1] as Container, { key, number: toExactNumber(text) }, kept);
    }
    yield;
  }
}

/** The value with its integers as sent, for code that writes its parts or derives another value. */
export function withDigits<Value extends Json>(value: Value): Value {
  if (typeof value !== 'object' || value === null || !('toJSON' in value)) return value;
  const { toJSON } = value as { readonly toJSON: unknown };
  return typeof toJSON === 'function' ? (toJSON() as Value) : value;
}

type Container = Record<string | number, Json>;

interface Exact {
  readonly key: string | number;
  readonly number: Json;
}

function keyOf(container: Container, place: number, bytes: Uint8Array): string | number {
  if (Array.isArray(container)) return place;
  return parseString(bytes, place, endOfString(bytes, place)) ?? '';
}

function keep(container: Container, exact: Exact, kept: Map<Container, Exact[]>): void {
  const known = kept.get(container);
  if (known !== undefined) {
    known.push(exact);
  } else if (Object.hasOwn(container, 'toJSON')) {
    // The caller sent a `toJSON` of their own; no schema of the API has a field of that name.
    container[exact.key] = exact.number;
  } else {
    const numbers = [exact];
    kept.set(container, numbers);
    Object.defineProperty(container, 'toJSON', { value: () => withNumbers(container, numbers) });
  }
}

function withNumbers(container: Container, numbers: readonly Exact[]): Container {
  const copy = (Array.isArray(container) ? [...container] : { ...container }) as Container;
  for (const { key, number } of numbers) copy[key] = number;
  return copy;
}
