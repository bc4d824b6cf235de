import type { Readable } from 'node:stream';

/** A stream that writes this many times the bytes that are kept is not worth draining. */
const floodFactor = 256;

/** The beginning of a stream; the rest is read and dropped, so that nobody waits for a full pipe. */
export class Capture {
  readonly #chunks: Buffer[] = [];
  readonly #bytesMax: number;
  #seen = 0;

  constructor(stream: Readable, bytesMax: number, onFlood: () => void) {
    this.#bytesMax = bytesMax;
    stream.on('data', (chunk: Buffer) => {
      const room = bytesMax - this.#seen;
      this.#seen += chunk.length;
      if (room > 0) this.#chunks.push(chunk.subarray(0, room));
      if (this.#seen > bytesMax * floodFactor) onFlood();
    });
    stream.on('error', () => {});
  }

  get isCut(): boolean {
    return this.#seen > this.#bytesMax;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  text(): string {
    const text = this.bytes().toString('utf8');
    return this.isCut ? `${text}\n[${this.#seen - this.#bytesMax} more bytes were dropped]` : text;
  }
}
