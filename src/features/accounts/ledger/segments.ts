import { join } from 'node:path';
import { frameBytes, frameBytesMax, rowBytesMax, writeFrame } from './frames.ts';
import { Segment } from './segment.ts';

interface SegmentsOptions {
  readonly folder: string;
  readonly segmentBytes: number;
  /** On disk. */
  readonly bytesMax: number;
  readonly monotonic: () => number;
}

/** What lies ready while nothing waits: some 4,000 rows after the disk is full. */
const segmentsReady = 2;
const retryAfterMs = 250;
/** What is written at once: some 190 rows. */
const groupBytesMax = 262_144;

/** The segments of one journal: those with room, and those that wait until the store has their rows. */
export class Segments {
  readonly #options: SegmentsOptions;
  readonly #scratch = Buffer.alloc(groupBytesMax);
  /** With room, in the order of their use; the first may have rows. */
  readonly #free: Segment[] = [];
  /** Without room, oldest first. */
  readonly #filled: Segment[] = [];
  #number = 0;
  #reserved = 0;
  #retryAtMs = 0;
  #failure: unknown = null;

  constructor(options: SegmentsOptions) {
    this.#options = options;
  }

  /** With rows that the store does not have, oldest first. */
  get pending(): readonly Segment[] {
    return [...this.#filled, ...this.#free].filter(({ pending }) => pending > 0);
  }

  get pendingBytes(): number {
    return [...this.#filled, ...this.#free].reduce((sum, { pending }) => sum + pending, 0);
  }

  get hasRoom(): boolean {
    return this.#room() - this.#reserved * rowBytesMax >= rowBytesMax || this.#grow();
  }

  reserve(): boolean {
    if (!this.hasRoom) return false;
    this.#reserved++;
    return true;
  }

  release(): void {
    this.#reserved--;
  }

  /** So that room is there before it is asked for, and no more of it than a burst has left in use. */
  prepare(): void {
    while (this.#free.length < segmentsReady && this.#grow());
    while (this.#free.length > segmentsReady && this.#isSpare(this.#free.at(-1))) this.#free.pop()?.remove();
  }

  #isSpare(segment: Segment | undefined): boolean {
    if (segment === undefined || segment.pending > 0) return false;
    return this.#room() - segment.room >= (this.#reserved + 1) * rowBytesMax;
  }

  /** Throws where the row is too large or the disk refuses what it promised. */
  append(text: string): void {
    if (frameBytes(text) > rowBytesMax) throw new RangeError('a row is too long for the journal');
    const length = writeFrame(this.#scratch, text);
    for (let [segment] = this.#free; segment !== undefined; [segment] = this.#free) {
      try {
        if (segment.room >= length) {
          segment.append(this.#scratch, length);
          return;
        }
      } catch (error) {
        this.#failure = error;
      }
      this.#free.shift();
      if (segment.pending === 0) segment.remove();
      else this.#filled.push(segment);
    }
    throw new Error('the disk does not take a row of the ledger', { cause: this.#failure });
  }

  /** Writes rows as one piece. False where that cannot be; then none of them is there. */
  appendGroup(texts: readonly string[]): boolean {
    const [segment] = this.#free;
    let length = 0;
    for (const text of texts) {
      if (length + frameBytesMax(text) > groupBytesMax) return false;
      const from = length;
      length = writeFrame(this.#scratch, text, from);
      if (length - from > rowBytesMax) return false;
    }
    if (segment === undefined || segment.room < length) return false;
    try {
      segment.append(this.#scratch, length);
      return true;
    } catch (error) {
      this.#failure = error;
      return false;
    }
  }

  /** The store has all of its rows: it is room again. */
  settle(segment: Segment): void {
    const isFilled = this.#filled.includes(segment);
    if (isFilled) this.#filled.splice(this.#filled.indexOf(segment), 1);
    try {
      segment.clear();
      if (!isFilled) return;
      if (this.#free.length < segmentsReady) this.#free.push(segment);
      else segment.remove();
    } catch (error) {
      this.#failure = error;
      if (!isFilled) this.#free.splice(this.#free.indexOf(segment), 1);
      segment.remove();
    }
  }

  /** Removes what has no rows. False when there are others. */
  close(): boolean {
    const all = [...this.#filled, ...this.#free];
    for (const segment of all) {
      if (segment.pending === 0) segment.remove();
      else segment.close();
    }
    return all.every(({ pending }) => pending === 0);
  }

  /** A row never lies in two segments, so each may end with a row's worth of bytes that nothing fits into. */
  #room(): number {
    return this.#free.reduce((sum, { room }) => sum + Math.max(0, room - rowBytesMax), 0);
  }

  #grow(): boolean {
    const { folder, segmentBytes, bytesMax, monotonic } = this.#options;
    const count = this.#free.length + this.#filled.length;
    if (monotonic() < this.#retryAtMs || (count + 1) * segmentBytes > bytesMax) return false;
    try {
      const name = `${String(this.#number++).padStart(9, '0')}.rows`;
      this.#free.push(Segment.create(join(folder, name), segmentBytes));
      return true;
    } catch (error) {
      this.#failure = error;
      this.#retryAtMs = monotonic() + retryAfterMs;
      return false;
    }
  }
}
