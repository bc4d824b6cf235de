import { toExactNumber } from './json-exact.ts';
import { endOfString, parseString } from './json-string.ts';
import type { Json } from './json.ts';

/** Every integer of so many digits is a double. */
const digitsExact = 15;

/**
 * Where the integers of a text stand that a double may not hold. A place is the index in an array, or where the name
 * of a value begins. The places that a number shares with the one before are not noted again, so that the notes of a text
 * are never longer than the text.
 */
export class IntegerNotes {
  /** Of each: where the number starts and ends, how many places it shares, how many it has, the others. */
  readonly #notes: number[] = [];
  #last: number[] = [];

  /** `places` lead to a number; there are `depth` of them. */
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

/** Whether an integer of at least 15 digits may be beyond 2^53. */
export function mayExceedDouble(bytes: Uint8Array, start: number, end: number): boolean {
  const from = bytes[start] === 0x2d ? start + 1 : start;
  // 2^53 is 9,007,199,254,740,992.
  return end - from > digitsExact + 1 || (end - from > digitsExact && bytes[from] === 0x39);
}

/**
 * Has `JSON.stringify` write the integers of a value as they were sent. The value itself stays what it is: what has been
 * validated as a number is one. Each object and list that holds such an integer is given a `toJSON` that nothing else
 * sees; a copy of the object has none, see `withDigits`. Yields after each number.
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

/** The value with its integers as they were sent, for code that writes its parts or makes another value of them. */
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
    // A caller's own `toJSON` stands in the way. No schema of the API has a field of that name.
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
