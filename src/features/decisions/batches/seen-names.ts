import { hash } from 'node:crypto';

const firstSlots = 1_024;

/**
 * Names of rows that were seen, with their lines. Two names are taken for one where 64 bits of their digests are the same,
 * which takes some billions of rows; a million of them takes 24 MB and none of their text.
 */
export class SeenNames {
  #size = 0;
  #high = new Uint32Array(firstSlots);
  #low = new Uint32Array(firstSlots);
  /** 0 where a slot is empty: lines begin with 1. */
  #lines = new Uint32Array(firstSlots);

  /** Notes a name, and returns the line where it was seen before; null for a new one. */
  note(name: string, line: number): number | null {
    const digest = hash('sha1', name, 'buffer');
    const [high, low] = [digest.readUInt32LE(0), digest.readUInt32LE(4)];
    const slot = this.#find(high, low);
    const before = this.#lines[slot] ?? 0;
    if (before > 0) return before;
    this.#put(slot, high, low, line);
    if (++this.#size * 2 > this.#lines.length) this.#grow();
    return null;
  }

  /** Where it stands, or would stand. */
  #find(high: number, low: number): number {
    const mask = this.#lines.length - 1;
    for (let slot = high & mask; ; slot = (slot + 1) & mask) {
      if (this.#lines[slot] === 0) return slot;
      if (this.#high[slot] === high && this.#low[slot] === low) return slot;
    }
  }

  #put(slot: number, high: number, low: number, line: number): void {
    this.#high[slot] = high;
    this.#low[slot] = low;
    this.#lines[slot] = line;
  }

  #grow(): void {
    const [highs, lows, lines] = [this.#high, this.#low, this.#lines];
    this.#high = new Uint32Array(lines.length * 2);
    this.#low = new Uint32Array(lines.length * 2);
    this.#lines = new Uint32Array(lines.length * 2);
    for (let at = 0; at < lines.length; at++) {
      const line = lines[at] ?? 0;
      if (line === 0) continue;
      const [high, low] = [highs[at] ?? 0, lows[at] ?? 0];
      this.#put(this.#find(high, low), high, low, line);
    }
  }
}
