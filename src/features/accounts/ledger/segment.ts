import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';

/**
 * A file of fixed size that is written whole before the first row goes in, so that a row overwrites what the disk has
 * given already: a disk that fills up later takes nothing from it.
 *
 * `written` grows with every append, `kept` follows when the store has the rows, and `clear` makes all of it room
 * again.
 */
export class Segment {
  readonly path: string;
  readonly size: number;
  readonly #file: number;
  #written = 0;
  #kept = 0;
  /** Up to here there may be something else than zeros. */
  #touched = 0;

  private constructor(path: string, size: number, file: number) {
    this.path = path;
    this.size = size;
    this.#file = file;
  }

  /** Throws what the file system throws, and then leaves no file. */
  static create(path: string, size: number): Segment {
    const file = openSync(path, 'wx+', 0o600);
    try {
      fillZeros(file, 0, size);
      return new Segment(path, size, file);
    } catch (error) {
      closeSync(file);
      rmSync(path, { force: true });
      throw error;
    }
  }

  get room(): number {
    return this.size - this.#written;
  }

  /** Bytes that the store does not have. */
  get pending(): number {
    return this.#written - this.#kept;
  }

  /** Writes all of the bytes or throws what the file system throws; nothing is appended then. */
  append(bytes: Buffer, length: number): void {
    this.#touched = Math.max(this.#touched, this.#written + length);
    writeFully(this.#file, bytes, length, this.#written);
    this.#written += length;
  }

  /** What the store does not have, oldest first, cut at the bound. */
  readPending(bytesMax: number): Buffer {
    if (this.pending === 0) return Buffer.alloc(0);
    const bytes = Buffer.alloc(Math.min(this.pending, bytesMax));
    return bytes.subarray(0, readSync(this.#file, bytes, 0, bytes.length, this.#kept));
  }

  /** The store has so many bytes more. */
  advance(bytes: number): void {
    this.#kept += bytes;
  }

  /** From the end to the beginning, so that a process that dies meanwhile leaves rows and one that is cut. */
  clear(): void {
    for (let to = this.#touched; to > 0; to -= zeros.length) {
      const from = Math.max(0, to - zeros.length);
      fillZeros(this.#file, from, to);
    }
    this.#written = 0;
    this.#kept = 0;
    this.#touched = 0;
  }

  close(): void {
    closeSync(this.#file);
  }

  remove(): void {
    closeSync(this.#file);
    rmSync(this.path, { force: true });
  }
}

const zeros = Buffer.alloc(65_536);

function fillZeros(file: number, from: number, to: number): void {
  for (let at = from; at < to; at += zeros.length)
    writeFully(file, zeros, Math.min(zeros.length, to - at), at);
}

/** The system may take less than it was given. */
function writeFully(file: number, bytes: Buffer, length: number, position: number): void {
  for (let done = 0; done < length;) done += writeSync(file, bytes, done, length - done, position + done);
}
