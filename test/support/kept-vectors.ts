/**
 * What the shipped encoder has said of rows, for tests of what is made of it. On this machine the same row gives the same
 * bytes. To read the READMEs of 200 packages took six of the minutes of CPU of a run on a fresh machine, so readings are
 * also a file of the repository (`derive-readings.ts`), of which a part is read again wherever tests run.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encoderPath, readerPath } from '../../src/features/models/encoder.ts';
import type { Encoder, OpenEncoder, Row } from '../../src/features/models/feature.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Rows that tests ask about, and what the reader said. */
export const readingsFile = fileURLToPath(new URL('readings.bin', import.meta.url));
const keyBytes = 16;
/** Of what is kept, so many rows of 256 are read again, and have to give the same bytes. */
const readAgain = 5;
/** Log odds of yes, no and not told. */
const readingSize = 3;
/** In each of the log odds, between machines; contracts promise as much of probabilities, which move a quarter as far. */
const tolerance = 0.001;

type Rest = readonly [signal: AbortSignal, account?: string | undefined];

/** Opens the encoder with what is kept. `keep` writes what was new; two processes may. */
export function keepVectors(open: OpenEncoder): {
  readonly open: OpenEncoder;
  readonly keep: () => Promise<void>;
} {
  let kept: { readonly vectors: Kept; readonly readings: Kept } | null = null;
  return {
    async open() {
      const encoder = await open();
      const { vectors, readings } = (kept ??= {
        vectors: new Kept(pathOf('vectors', vectorFiles), encoder.dimensions),
        readings: new Kept(readingsPath(), readingSize, readingsFile),
      });
      await Promise.all([vectors.load(), readings.load()]);
      return {
        ...encoder,
        run: (rows, ...rest) =>
          // What is read about something is no vector.
          (rows.some(({ about }) => about) ? readings : vectors).run(encoder, rows, rest),
      };
    },
    keep: async () => {
      await kept?.vectors.keep();
      await kept?.readings.keep();
    },
  };
}

/** Rows of one kind, by their digest. */
class Kept {
  readonly #path: string;
  readonly #size: number;
  readonly #shipped: string | null;
  readonly #rows = new Map<string, Float32Array>();
  /** What another machine may have said. */
  readonly #shippedRows = new Map<string, Float32Array>();
  #loading: Promise<void> | null = null;
  #hasNew = false;

  constructor(path: string, size: number, shipped: string | null = null) {
    this.#path = path;
    this.#size = size;
    this.#shipped = shipped;
  }

  load(): Promise<void> {
    return (this.#loading ??= this.#load());
  }

  async #load(): Promise<void> {
    await this.#read();
    if (this.#shipped === null || !existsSync(this.#shipped)) return;
    const bytes = await readFile(this.#shipped);
    const of = hashOfReader();
    assert.equal(
      bytes.toString('latin1', 0, of.length),
      of,
      'readings.bin is of other weights; node test/support/derive-readings.ts makes it anew',
    );
    readRecords(bytes.subarray(of.length), this.#size, this.#shippedRows);
  }

  async run(encoder: Encoder, rows: readonly Row[], rest: Rest): Promise<readonly Float32Array[]> {
    const keys = rows.map(keyOf);
    const isAsked = keys.map((key) => this.#get(key) === undefined || key.charCodeAt(0) < readAgain);
    const asked = rows.filter((_, at) => isAsked[at]);
    const found = asked.length === 0 ? [] : await encoder.run(asked, ...rest);
    for (const [at, key] of keys.filter((_, index) => isAsked[index]).entries()) {
      const vector = found[at];
      assert.equal(vector?.length, this.#size);
      const before = this.#rows.get(key);
      if (before !== undefined) assert.deepEqual(vector, before, 'a row gives other bytes than it gave');
      else this.#hasNew = true;
      const shipped = this.#shippedRows.get(key);
      assert.ok(
        shipped?.every((value, index) => Math.abs(value - (vector[index] ?? NaN)) <= tolerance) ?? true,
        `a row gives ${vector.join(', ')} where test/support/readings.bin has ${shipped?.join(', ')}`,
      );
      // A copy: what is handed out may be handed to a thread.
      this.#rows.set(key, vector.slice());
    }
    return keys.map((key) => (this.#get(key) ?? new Float32Array()).slice());
  }

  #get(key: string): Float32Array | undefined {
    return this.#rows.get(key) ?? this.#shippedRows.get(key);
  }

  /** With what another process kept meanwhile. */
  async keep(): Promise<void> {
    if (!this.#hasNew) return;
    await this.#read();
    const records = [...this.#rows].map(([key, vector]) =>
      Buffer.concat([Buffer.from(key, 'latin1'), new Uint8Array(vector.buffer)]),
    );
    const made = `${this.#path}-${process.pid}`;
    await writeFile(made, Buffer.concat(records));
    await rename(made, this.#path);
    this.#hasNew = false;
  }

  async #read(): Promise<void> {
    if (existsSync(this.#path)) readRecords(await readFile(this.#path), this.#size, this.#rows);
  }
}

function readRecords(bytes: Buffer, size: number, into: Map<string, Float32Array>): void {
  const vectorBytes = size * Float32Array.BYTES_PER_ELEMENT;
  for (let at = 0; at < bytes.length; at += keyBytes + vectorBytes) {
    const key = bytes.toString('latin1', at, at + keyBytes);
    const from = bytes.byteOffset + at + keyBytes;
    into.set(key, new Float32Array(bytes.buffer.slice(from, from + vectorBytes)));
  }
}

const keyOf = ({ ids, types, about }: Row): string =>
  createHash('sha256')
    .update(JSON.stringify(about === undefined ? [ids, types] : [ids, types, about]))
    .digest()
    .subarray(0, keyBytes)
    .toString('latin1');

const vectorFiles = ['model.onnx', ...globSync('**/*.json', { cwd: encoderPath })].map((name) =>
  join(encoderPath, name),
);
const readingFiles = [...vectorFiles, join(readerPath, 'reader.onnx')];

/** Of what may be kept on this machine: whatever has a part in a row's bytes is in its name. */
const pathOf = (what: string, files: readonly string[]): string => {
  const sources = globSync('src/features/models/onnx/**/*.ts', { cwd: root }).map((name) => join(root, name));
  const runtime = join(root, 'node_modules/onnxruntime-web/package.json');
  const name = `nestor-${what}-${hashOf([...files, ...sources, runtime], process.version, process.arch)}`;
  return join(process.env['NESTOR_TEST_WEIGHTS'] ?? tmpdir(), name);
};

/** Where readings are kept on this machine. */
export const readingsPath = (): string => pathOf('readings', readingFiles);

/** The first bytes of `readings.bin`: other weights have said other things. */
export const hashOfReader = (): string => hashOf(readingFiles);

function hashOf(files: readonly string[], ...words: readonly string[]): string {
  const hash = createHash('sha256');
  for (const word of words) hash.update(word);
  for (const path of files.toSorted()) hash.update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
}
