/**
 * What the shipped encoder has said of rows on this machine, for tests of what is made of it: the same row gives the same
 * bytes, and to read the READMEs of 200 packages takes seven minutes of CPU.
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
const keyBytes = 16;
/** Of what is kept, so many rows of 256 are read again, and have to give the same bytes. */
const readAgain = 5;
/** Log odds of yes, no and not told. */
const readingSize = 3;

type Rest = readonly [signal: AbortSignal, account?: string | undefined];

/** Opens the encoder with what is kept. `keep` writes what was new; two processes may. */
export function keepVectors(open: OpenEncoder): {
  readonly open: OpenEncoder;
  readonly keep: () => Promise<void>;
} {
  // Not the reader itself, which makes no vectors.
  const names = ['model.onnx', ...globSync('**/*.json', { cwd: encoderPath })];
  const ofVectors = names.map((name) => join(encoderPath, name));
  const ofReadings = [...ofVectors, join(readerPath, 'reader.onnx')];
  let kept: { readonly vectors: Kept; readonly readings: Kept } | null = null;
  return {
    async open() {
      const encoder = await open();
      const { vectors, readings } = (kept ??= {
        vectors: new Kept('vectors', ofVectors, encoder.dimensions),
        readings: new Kept('readings', ofReadings, readingSize),
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
  readonly #rows = new Map<string, Float32Array>();
  #loading: Promise<void> | null = null;
  #hasNew = false;

  /** `files` have a part in what is kept: its name changes with them. */
  constructor(what: string, files: readonly string[], size: number) {
    this.#path = join(process.env['NESTOR_TEST_WEIGHTS'] ?? tmpdir(), `nestor-${what}-${hashOf(files)}`);
    this.#size = size;
  }

  load(): Promise<void> {
    return (this.#loading ??= this.#read());
  }

  async run(encoder: Encoder, rows: readonly Row[], rest: Rest): Promise<readonly Float32Array[]> {
    const keys = rows.map(keyOf);
    const isAsked = keys.map((key) => !this.#rows.has(key) || key.charCodeAt(0) < readAgain);
    const asked = rows.filter((_, at) => isAsked[at]);
    const found = asked.length === 0 ? [] : await encoder.run(asked, ...rest);
    for (const [at, key] of keys.filter((_, index) => isAsked[index]).entries()) {
      const vector = found[at];
      assert.equal(vector?.length, this.#size);
      const before = this.#rows.get(key);
      if (before !== undefined) assert.deepEqual(vector, before, 'a row gives other bytes than it gave');
      else this.#hasNew = true;
      // A copy: what is handed out may be handed to a thread.
      this.#rows.set(key, vector.slice());
    }
    return keys.map((key) => (this.#rows.get(key) ?? new Float32Array()).slice());
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
    if (!existsSync(this.#path)) return;
    const bytes = await readFile(this.#path);
    const vectorBytes = this.#size * Float32Array.BYTES_PER_ELEMENT;
    for (let at = 0; at < bytes.length; at += keyBytes + vectorBytes) {
      const key = bytes.toString('latin1', at, at + keyBytes);
      const from = bytes.byteOffset + at + keyBytes;
      this.#rows.set(key, new Float32Array(bytes.buffer.slice(from, from + vectorBytes)));
    }
  }
}

const keyOf = ({ ids, types, about }: Row): string =>
  createHash('sha256')
    .update(JSON.stringify(about === undefined ? [ids, types] : [ids, types, about]))
    .digest()
    .subarray(0, keyBytes)
    .toString('latin1');

/** Of whatever has a part in a row's bytes: these files, the runtime and the sources that ask it. */
function hashOf(files: readonly string[]): string {
  const hash = createHash('sha256').update(process.version).update(process.arch);
  const sources = globSync('src/features/models/onnx/**/*.ts', { cwd: root });
  const paths = [
    ...files,
    ...sources.map((name) => join(root, name)),
    join(root, 'node_modules/onnxruntime-web/package.json'),
  ];
  for (const path of paths.toSorted()) hash.update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
}
