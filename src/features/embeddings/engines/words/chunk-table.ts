/** Longer pieces are not cached, because they rarely occur twice. Unit: UTF-16 units. */
export const chunkUnitsMax = 32;

// Numbers of a slot: hash; where its units begin; how many those are (0 for a free slot), plus 64 times how many
// words it has; its word, or where its words begin.
const slotNumbers = 4;
const lengthMask = 63;

/** A hash table from pieces of text to the numbers of their words, in a few arrays of numbers. */
export function createChunkTable() {
  let slots = new Int32Array(slotNumbers * 4_096);
  let units = new Uint16Array(16_384);
  let words = new Int32Array(1_024);
  let [size, unitsEnd, wordsEnd] = [0, 0, 0];

  const isAt = (place: number, text: string, from: number, length: number): boolean => {
    if (((slots[place + 2] ?? 0) & lengthMask) !== length) return false;
    const start = slots[place + 1] ?? 0;
    for (let i = 0; i < length; i++) if (units[start + i] !== text.charCodeAt(from + i)) return false;
    return true;
  };
  const placeFor = (hash: number, isTaken: (place: number) => boolean): number => {
    let place = firstPlace(hash, slots.length);
    while (isTaken(place)) place = (place + slotNumbers) % slots.length;
    return place;
  };
  const isUsed = (place: number): boolean => slots[place + 2] !== 0;
  const grow = (): void => {
    const old = slots;
    slots = new Int32Array(old.length * 2);
    for (let from = 0; from < old.length; from += slotNumbers)
      if (old[from + 2] !== 0)
        slots.set(old.subarray(from, from + slotNumbers), placeFor(old[from] ?? 0, isUsed));
  };

  return {
    /** Pieces that are kept. */
    get size() {
      return size;
    },
    /** Place of the piece from..to of a text, or -1. Good until the next `add` or `clear`. */
    find(text: string, from: number, to: number, hash: number): number {
      const length = to - from;
      if (length > chunkUnitsMax) return -1;
      for (let place = firstPlace(hash, slots.length); ; place = (place + slotNumbers) & (slots.length - 1)) {
        if (slots[place + 2] === 0) return -1;
        if (slots[place] === hash && isAt(place, text, from, length)) return place;
      }
    },
    countAt: (place: number): number => (slots[place + 2] ?? 0) >>> 6,
    /** Number of one of its words; `index` is below its count. */
    wordAt(place: number, index: number): number {
      const one = slots[place + 3] ?? 0;
      return (slots[place + 2] ?? 0) >>> 6 === 1 ? one : (words[one + index] ?? 0);
    },
    /** Keeps a piece that `find` did not find. */
    add(chunk: string, hash: number, ids: readonly number[]): void {
      if (chunk.length > chunkUnitsMax) return;
      if ((size + 1) * slotNumbers * 2 > slots.length) grow();
      units = withRoom(units, unitsEnd + chunk.length, (length) => new Uint16Array(length));
      words = withRoom(words, wordsEnd + ids.length, (length) => new Int32Array(length));
      const [only = 0] = ids;
      const record = [hash, unitsEnd, chunk.length + 64 * ids.length, ids.length === 1 ? only : wordsEnd];
      slots.set(record, placeFor(hash, isUsed));
      for (let i = 0; i < chunk.length; i++) units[unitsEnd++] = chunk.charCodeAt(i);
      if (ids.length !== 1) for (const word of ids) words[wordsEnd++] = word;
      size += 1;
    },
    clear(): void {
      slots.fill(0);
      [size, unitsEnd, wordsEnd] = [0, 0, 0];
    },
  };
}

/** Units of a short piece change the low bits of its hash most. */
function firstPlace(hash: number, length: number): number {
  return (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) & (length / slotNumbers - 1)) * slotNumbers;
}

/** The array, or a larger one with the same beginning. */
export function withRoom<Numbers extends Int32Array | Uint16Array | Float64Array>(
  numbers: Numbers,
  needed: number,
  create: (length: number) => Numbers,
): Numbers {
  if (needed <= numbers.length) return numbers;
  const larger = create(Math.max(needed, numbers.length * 2));
  larger.set(numbers);
  return larger;
}
