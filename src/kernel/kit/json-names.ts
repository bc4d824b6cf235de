import { hashBytes, hashText } from './json-string.ts';

/** Numbers per name in each of its two arrays. */
const stride = 2;
/** So many numbers V8 keeps beside the array; more have memory of their own, which takes 1 us to get and to free. */
const onHeap = 16;
/** Slot of a name that is not in the table. */
const unlisted = -1;
/** Up to this many names are compared one by one after the table was given up. */
const fewNames = 16;

/**
 * The names of all open objects of a JSON text in one hash table. Objects close in reverse order, so names leave last
 * in, first out, and an emptied slot never breaks another search. While names ascend (shorter first) none can repeat,
 * and they are not listed: 200,000 ascending numbers cost a quarter of the table. Names crafted to collide make it
 * fall back to sets of strings, whose hash is unpredictable.
 */
export class OpenNames {
  readonly #bytes: Uint8Array;
  readonly #readName: (start: number, end: number) => string;
  /** Index of a name plus 1; 0 is empty. */
  #table = new Int32Array(onHeap);
  /** Start and end of each name. Two arrays, since usual requests have five to eight names open at once and one of 16 holds four. */
  #bounds = new Int32Array(onHeap);
  /** Hash and slot in the table of each name. */
  #marks = new Int32Array(onHeap);
  #count = 0;
  /** Names with escapes, decoded, by index; null for others. */
  readonly #decoded: (string | null)[] = [];
  #hasDecoded = false;
  /** After the fallback: names of large objects, by the index of their first. */
  #sets: Map<number, Set<string>> | null = null;
  #added = 0;
  #steps = 0;

  constructor(bytes: Uint8Array, readName: (start: number, end: number) => string) {
    this.#bytes = bytes;
    this.#readName = readName;
  }

  /** Number of open names, which is the base of an object that opens now. */
  get count(): number {
    return this.#count;
  }

  /** Collisions met so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Adds a name to the innermost object, whose names begin at `base`. Returns false for a duplicate. */
  add(base: number, start: number, end: number, decoded: string | null): boolean {
    const index = this.#count;
    const at = index * stride;
    if (at + stride > this.#bounds.length) this.#growNames();
    this.#bounds[at] = start;
    this.#bounds[at + 1] = end;
    if (decoded !== null || this.#hasDecoded) this.#remember(index, decoded);
    const isNew = this.#sets === null && this.#extendsRun(base, index) ? true : this.#list(base, index);
    if (isNew) this.#count = index + 1;
    return isNew;
  }

  /** Removes the names from `base` on. */
  close(base: number): void {
    if (this.#sets !== null) this.#sets.delete(base);
    else if (this.#isListed(base)) {
      for (let index = this.#count - 1; index >= base; index--) {
        this.#table[this.#marks[index * stride + 1] as number] = 0;
      }
    }
    this.#count = base;
  }

  /** Either all names of an object are in the table or none. */
  #isListed(base: number): boolean {
    return this.#count > base && this.#marks[base * stride + 1] !== unlisted;
  }

  /** Whether the names of the object ascend up to this one, which then is new. */
  #extendsRun(base: number, index: number): boolean {
    const bounds = this.#bounds;
    const marks = this.#marks;
    const at = index * stride;
    if (index > base) {
      if (marks[at - 1] !== unlisted) return false;
      if (this.#hasDecoded && (this.#decoded[index - 1] !== null || this.#decoded[index] !== null))
        return false;
      if (
        !this.#isAscending(
          bounds[at - stride] as number,
          bounds[at - stride + 1] as number,
          bounds[at] as number,
          bounds[at + 1] as number,
        )
      )
        return false;
    }
    marks[at + 1] = unlisted;
    return true;
  }

  #isAscending(start: number, end: number, otherStart: number, otherEnd: number): boolean {
    const longer = otherEnd - otherStart - (end - start);
    if (longer !== 0) return longer > 0;
    const bytes = this.#bytes;
    for (let at = start, other = otherStart; at < end; at++, other++) {
      const difference = (bytes[other] as number) - (bytes[at] as number);
      if (difference !== 0) return difference > 0;
    }
    return false;
  }

  /** Lists a name, and those before it in its object that are not listed. Returns false for a duplicate. */
  #list(base: number, index: number): boolean {
    const first = this.#isListed(base) ? index : base;
    for (let one = first; one <= index && this.#sets === null; one++) {
      this.#added++;
      if (this.#steps > 16 * this.#added + 1_024) this.#sets = new Map();
      else if (!this.#insert(base, one)) return false;
    }
    return this.#sets === null || this.#insertInSet(this.#sets, base, index);
  }

  #insert(base: number, index: number): boolean {
    if (index * 2 >= this.#table.length) this.#growTable();
    const marks = this.#marks;
    const table = this.#table;
    const hash = this.#hash(base, index);
    const mask = table.length - 1;
    let place = hash & mask;
    for (let found = table[place] as number; found > 0; found = table[place] as number) {
      this.#steps++;
      const other = found - 1;
      if (other >= base && marks[other * stride] === hash && this.#isSame(other, index)) return false;
      place = (place + 1) & mask;
    }
    table[place] = index + 1;
    marks[index * stride + 1] = place;
    return true;
  }

  /** Names that differ in the last letter are neighbours; `base` keeps equal names of nested objects apart. */
  #hash(base: number, index: number): number {
    const at = index * stride;
    const decoded = this.#hasDecoded ? (this.#decoded[index] ?? null) : null;
    const hash =
      decoded === null
        ? hashBytes(this.#bytes, this.#bounds[at] as number, this.#bounds[at + 1] as number)
        : hashText(decoded);
    return (this.#marks[at] = (hash + base) | 0);
  }

  #insertInSet(sets: Map<number, Set<string>>, base: number, index: number): boolean {
    if (index - base < fewNames) {
      for (let other = base; other < index; other++) {
        this.#steps++;
        if (this.#isSame(other, index)) return false;
      }
      return true;
    }
    let set = sets.get(base);
    if (set === undefined) {
      set = new Set();
      for (let other = base; other < index; other++) set.add(this.#nameOf(other));
      sets.set(base, set);
    }
    return set.size < set.add(this.#nameOf(index)).size;
  }

  /** Reinserts in the original order, so that names still leave in reverse. */
  #growTable(): void {
    const table = new Int32Array(this.#table.length * 4);
    const mask = table.length - 1;
    for (let index = 0; index < this.#count; index++) {
      if (this.#marks[index * stride + 1] === unlisted) continue;
      let place = (this.#marks[index * stride] as number) & mask;
      while (table[place] !== 0) place = (place + 1) & mask;
      table[place] = index + 1;
      this.#marks[index * stride + 1] = place;
    }
    this.#table = table;
  }

  #remember(index: number, decoded: string | null): void {
    this.#hasDecoded = true;
    while (this.#decoded.length < index) this.#decoded.push(null);
    this.#decoded[index] = decoded;
  }

  #growNames(): void {
    this.#bounds = grown(this.#bounds);
    this.#marks = grown(this.#marks);
  }

  #isSame(one: number, other: number): boolean {
    if (this.#hasDecoded && (this.#decoded[one] !== null || this.#decoded[other] !== null)) {
      return this.#nameOf(one) === this.#nameOf(other);
    }
    const start = this.#bounds[one * stride] as number;
    const length = (this.#bounds[one * stride + 1] as number) - start;
    const otherStart = this.#bounds[other * stride] as number;
    if ((this.#bounds[other * stride + 1] as number) - otherStart !== length) return false;
    for (let at = 0; at < length; at++) {
      if (this.#bytes[start + at] !== this.#bytes[otherStart + at]) return false;
    }
    return true;
  }

  #nameOf(index: number): string {
    const at = index * stride;
    return this.#decoded[index] ?? this.#readName(this.#bounds[at] as number, this.#bounds[at + 1] as number);
  }
}

function grown(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const more = new Int32Array(numbers.length * 4);
  more.set(numbers);
  return more;
}
