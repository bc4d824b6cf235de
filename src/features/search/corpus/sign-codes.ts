/** Words of a code, of 32 signs each. */
const wordBits = 32;
const roomMin = 64;
/** No distance is as large. */
const unwanted = 65_535;
/** How many values have 1 in each of 16 places. */
const ones = Uint8Array.from({ length: 65_536 }, (_, value) => {
  let count = 0;
  for (let rest = value; rest > 0; rest &= rest - 1) count++;
  return count;
});

/** Where the vectors of a document stand. */
interface Range {
  readonly from: number;
  readonly count: number;
}

/**
 * Finds the vectors that point where another does, by their signs alone: a bit for each value, an eighth of what a store
 * keeps of them. Of vectors with 384 values the share of equal signs follows the cosine closely enough to choose candidates.
 */
export class SignCodes {
  readonly #dimensions: number;
  readonly #words: number;
  readonly #sizeMax: number;
  /** Passages, one for each window. */
  #ids = new Float64Array(roomMin);
  #codes: Uint32Array;
  #size = 0;
  #left = 0;
  /** By document, the one that changed last at the end. */
  readonly #ranges = new Map<number, Range>();

  /** `sizeMax`: vectors; beyond it those that changed longest ago go. */
  constructor(dimensions: number, sizeMax: number) {
    this.#dimensions = dimensions;
    this.#words = Math.ceil(dimensions / wordBits);
    this.#sizeMax = sizeMax;
    this.#codes = new Uint32Array(roomMin * this.#words);
  }

  /** Vectors. */
  get size(): number {
    return this.#size - this.#left;
  }

  /** Vectors that memory is taken for, also where there are none. */
  get room(): number {
    return this.#ids.length;
  }

  /** Replaces those of a document. Of a passage there may be several vectors, one behind the other; of zeros, none. */
  put(documentId: number, passages: readonly { readonly id: number; readonly vector: Uint8Array }[]): void {
    this.remove(documentId);
    const from = this.#size;
    for (const { id, vector } of passages)
      for (let at = 0; at + this.#dimensions <= vector.length; at += this.#dimensions)
        this.#push(id, vector.subarray(at, at + this.#dimensions));
    if (this.#size > from) this.#ranges.set(documentId, { from, count: this.#size - from });
    for (const [oldest] of this.#ranges) {
      if (this.size <= this.#sizeMax) break;
      this.remove(oldest);
    }
    if (this.#left > roomMin && this.#left > this.#size / 2) this.#pack();
  }

  remove(documentId: number): void {
    const range = this.#ranges.get(documentId);
    if (range === undefined) return;
    this.#left += range.count;
    this.#ranges.delete(documentId);
  }

  /** Passages whose vectors have most signs of the query, best first; of these documents alone, if they are named. */
  nearest(
    query: ArrayLike<number>,
    countMax: number,
    documentIds: ReadonlySet<number> | null = null,
  ): readonly number[] {
    const code = new Uint32Array(this.#words);
    sign(query, code, 0);
    // Distances are whole and few, so that a count of each says how far to look, and two walks sort.
    const distances = new Uint16Array(this.#size).fill(unwanted);
    const counts = new Uint32Array(this.#words * wordBits + 1);
    const count = ({ from, count: windows }: Range): void => {
      for (let place = from; place < from + windows; place++) {
        const distance = this.#distance(code, place);
        distances[place] = distance;
        counts[distance] = (counts[distance] ?? 0) + 1;
      }
    };
    for (const [id, range] of this.#ranges) if (documentIds?.has(id) !== false) count(range);
    let furthest = 0;
    for (
      let sum = counts[0] ?? 0;
      sum < countMax && furthest < counts.length - 1;
      sum += counts[furthest] ?? 0
    )
      furthest++;
    const near: { readonly id: number; readonly distance: number }[] = [];
    // Thousands may have the same text.
    let furthestLeft = countMax;
    for (let place = 0; place < this.#size; place++) {
      const distance = distances[place] ?? unwanted;
      if (distance > furthest || (distance === furthest && furthestLeft-- <= 0)) continue;
      near.push({ id: this.#ids[place] ?? 0, distance });
    }
    const sorted = near.toSorted((a, b) => a.distance - b.distance || a.id - b.id);
    return [...new Set(sorted.map(({ id }) => id))].slice(0, countMax);
  }

  #push(id: number, vector: Uint8Array): void {
    if (vector.every((value) => value === 0)) return;
    if (this.#size === this.#ids.length) this.#grow(this.#size * 2);
    const values = new Int8Array(vector.buffer, vector.byteOffset, vector.length);
    this.#ids[this.#size] = id;
    sign(values, this.#codes, this.#size * this.#words);
    this.#size++;
  }

  #distance(code: Uint32Array, place: number): number {
    const words = this.#words;
    const codes = this.#codes;
    const from = place * words;
    let distance = 0;
    for (let word = 0; word < words; word++) {
      const differing = (codes[from + word] ?? 0) ^ (code[word] ?? 0);
      distance += (ones[differing & 0xffff] ?? 0) + (ones[differing >>> 16] ?? 0);
    }
    return distance;
  }

  #grow(room: number): void {
    const [ids, codes] = [this.#ids, this.#codes];
    this.#ids = new Float64Array(room);
    this.#codes = new Uint32Array(room * this.#words);
    this.#ids.set(ids);
    this.#codes.set(codes);
  }

  /** Closes the gaps. */
  #pack(): void {
    const words = this.#words;
    let size = 0;
    // They stand in the order of their changes, so each moves to the front.
    for (const [documentId, { from, count }] of this.#ranges) {
      this.#ids.copyWithin(size, from, from + count);
      this.#codes.copyWithin(size * words, from * words, (from + count) * words);
      this.#ranges.set(documentId, { from: size, count });
      size += count;
    }
    this.#size = size;
    this.#left = 0;
  }
}

/** Writes a bit for each value, which is 1 above 0, from a word on. */
function sign(values: ArrayLike<number>, codes: Uint32Array, from: number): void {
  for (let at = 0, word = from; at < values.length; word++) {
    let bits = 0;
    for (let bit = 0; bit < wordBits && at < values.length; bit++, at++)
      if ((values[at] ?? 0) > 0) bits |= 1 << bit;
    codes[word] = bits;
  }
}
