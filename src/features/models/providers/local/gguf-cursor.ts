import type { FileHandle } from 'node:fs/promises';

/** The file cannot be used; the message is one line for an operator. */
export class GgufProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GgufProblem';
  }
}

/** The longest texts are chat templates, of some ten thousand bytes. */
const stringBytesMax = 16_777_216;

/** Reads forward in blocks: headers are megabytes long and consist of short strings. */
export class GgufCursor {
  position = 0;
  readonly #file: FileHandle;
  readonly #size: number;
  #block = Buffer.alloc(0);
  #blockStart = 0;

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.#size = size;
  }

  async bytes(length: number): Promise<Buffer> {
    const from = this.position - this.#blockStart;
    await this.skip(length);
    if (from >= 0 && from + length <= this.#block.length) return this.#block.subarray(from, from + length);
    this.#blockStart = this.position - length;
    const wanted = Math.min(Math.max(length, 1 << 20), this.#size - this.#blockStart);
    const block = Buffer.alloc(wanted);
    const { bytesRead } = await this.#file.read(block, 0, wanted, this.#blockStart);
    if (bytesRead < length) throw new GgufProblem('the file is truncated inside its header');
    this.#block = block.subarray(0, bytesRead);
    return this.#block.subarray(0, length);
  }

  async skip(length: number): Promise<void> {
    if (this.position + length > this.#size) throw new GgufProblem('the file is truncated inside its header');
    this.position += length;
  }

  async u32(): Promise<number> {
    return (await this.bytes(4)).readUInt32LE();
  }

  async u64(): Promise<number> {
    return Number((await this.bytes(8)).readBigUInt64LE());
  }

  /** A length or count; what is larger than the file is a lie that would make us, or a loader, allocate. */
  async count(): Promise<number> {
    const value = await this.u64();
    if (value > this.#size) throw new GgufProblem('the file is truncated inside its header');
    return value;
  }

  async string(): Promise<string> {
    const length = await this.count();
    if (length > stringBytesMax) throw new GgufProblem(`the header holds a text of ${length} bytes`);
    return (await this.bytes(length)).toString('utf8');
  }
}
