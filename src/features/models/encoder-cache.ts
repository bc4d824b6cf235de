import { hash as digestOf } from 'node:crypto';
import { mkdir, open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { runInSlices } from '../../kernel/kit/slices.ts';

/** Vectors of short texts that come again and again, such as options, kept over restarts. */
export interface EncoderCache {
  /** Resolves once the file is read, or cannot be. */
  opened(): Promise<void>;
  /** Undefined for an unknown text, and for all of them until the file is read, which the first call begins. */
  get(text: string): Float32Array | undefined;
  /** Kept at once, and written behind. */
  put(text: string, vector: Float32Array): void;
  /** Writes what is left. */
  close(): Promise<void>;
}

export interface EncoderCacheOptions {
  /** Holds the file; made with the first write. */
  readonly folder: string;
  /** `version` of the encoder: vectors of other weights are never read, and their files are removed. */
  readonly version: string;
  readonly dimensions: number;
  /** With one more, the file begins anew. */
  readonly recordsMax?: number;
  /** Called once, with what kept the file from being read or written; the vectors stay in memory then. */
  readonly onFailure?: (error: unknown) => void;
}

const recordsMaxDefault = 20_000;
const keyBytes = 16;
const sumBytes = 4;
/** Texts of one burst are written together. Unit: ms. */
const writeBehindMs = 1_000;

/**
 * A file of records of one size: the first bytes of the text's SHA-256, the vector, a checksum of both. Records are only
 * appended, so that several processes may share it; what a kill or a full disk cut off has no valid checksum.
 */
export function openEncoderCache(options: EncoderCacheOptions): EncoderCache {
  const { dimensions, recordsMax = recordsMaxDefault } = options;
  const vectors = new Map<string, Float32Array>();
  const file = new VectorFile(options, recordsMax, vectors);
  return {
    opened: () => file.begin(),
    get(text) {
      void file.begin();
      return vectors.get(keyOf(text));
    },
    put(text, vector) {
      void file.begin();
      const key = keyOf(text);
      if (vectors.has(key) || vector.length !== dimensions) return;
      if (vectors.size >= recordsMax) {
        vectors.clear();
        file.startAnew();
      }
      vectors.set(key, vector);
      file.append(toRecord(key, vector));
    },
    close: () => file.close(),
  };
}

/** Reads its records into a map once, and writes others behind. After a failure it does neither. */
class VectorFile {
  readonly #options: EncoderCacheOptions;
  readonly #recordsMax: number;
  readonly #vectors: Map<string, Float32Array>;
  #unwritten: Buffer[] = [];
  #file: FileHandle | null = null;
  #opening: Promise<void> | null = null;
  #writing: Promise<void> = Promise.resolve();
  #hasFailed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: EncoderCacheOptions, recordsMax: number, vectors: Map<string, Float32Array>) {
    this.#options = options;
    this.#recordsMax = recordsMax;
    this.#vectors = vectors;
  }

  begin(): Promise<void> {
    return (this.#opening ??= this.#read().catch((error: unknown) => this.#fail(error)));
  }

  append(record: Buffer): void {
    if (this.#hasFailed) return;
    this.#unwritten.push(record);
    this.#timer ??= setTimeout(() => void this.#flush(), writeBehindMs).unref();
  }

  startAnew(): void {
    this.#unwritten = [];
    void this.#then((file) => file.truncate(0));
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#opening === null) return;
    await this.#flush();
    await this.#file?.close();
    this.#file = null;
  }

  #flush(): Promise<void> {
    this.#timer = undefined;
    return this.#then(async (file) => {
      const records = this.#unwritten;
      this.#unwritten = [];
      if (records.length > 0) await file.appendFile(Buffer.concat(records));
    });
  }

  /** One after the other, once the file is read. */
  #then(work: (file: FileHandle) => Promise<void>): Promise<void> {
    const before = this.#writing;
    const turn = async () => {
      await before;
      await this.#opening;
      if (this.#file !== null && !this.#hasFailed) await work(this.#file);
    };
    this.#writing = turn().catch((error: unknown) => this.#fail(error));
    return this.#writing;
  }

  #fail(error: unknown): void {
    if (!this.#hasFailed) this.#options.onFailure?.(error);
    this.#hasFailed = true;
    this.#unwritten = [];
  }

  async #read(): Promise<void> {
    const { folder, version, dimensions } = this.#options;
    const name = `${prefix}${version}${extension}`;
    const recordBytes = keyBytes + dimensions * 4 + sumBytes;
    await mkdir(folder, { recursive: true });
    await removeOthers(folder, name);
    this.#file = await open(join(folder, name), 'a+', 0o600);
    const { size } = await this.#file.stat();
    // The records behind a cut-off one would not stand where they are looked for.
    const whole = size > this.#recordsMax * recordBytes ? 0 : size - (size % recordBytes);
    if (whole < size) await this.#file.truncate(whole);
    const bytes = new Uint8Array(whole);
    await this.#file.read(bytes, 0, whole, 0);
    const steps = readInSteps(bytes, dimensions, this.#vectors);
    await runInSlices(steps, new AbortController().signal);
  }
}

/** Those whose checksum fits. */
function* readInSteps(
  bytes: Uint8Array<ArrayBuffer>,
  dimensions: number,
  vectors: Map<string, Float32Array>,
): Generator<void, void> {
  const sumAt = keyBytes + dimensions * 4;
  for (let at = 0; at < bytes.length; at += sumAt + sumBytes) {
    const sum = new DataView(bytes.buffer, at + sumAt, sumBytes).getUint32(0, true);
    const key = Buffer.from(bytes.buffer, at, keyBytes).toString('hex');
    if (crc32(bytes.subarray(at, at + sumAt)) === sum && !vectors.has(key))
      vectors.set(key, new Float32Array(bytes.buffer, at + keyBytes, dimensions));
    yield;
  }
}

const prefix = 'encoder-vectors-';
const extension = '.bin';

const keyOf = (text: string): string => digestOf('sha256', text).slice(0, keyBytes * 2);

function toRecord(key: string, vector: Float32Array): Buffer {
  const values = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  const content = Buffer.concat([Buffer.from(key, 'hex'), values]);
  const sum = Buffer.alloc(sumBytes);
  sum.writeUInt32LE(crc32(content));
  return Buffer.concat([content, sum]);
}

/** The vectors of weights that this version does not have. */
async function removeOthers(folder: string, name: string): Promise<void> {
  for (const other of await readdir(folder))
    if (other !== name && other.startsWith(prefix) && other.endsWith(extension))
      await rm(join(folder, other), { force: true });
}
