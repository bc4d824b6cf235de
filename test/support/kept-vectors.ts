/**
 * Vectors of rows that the shipped encoder has read on this machine, for tests of what is made of vectors: the same row
 * gives the same bytes, and the READMEs of 200 packages take seven minutes of CPU.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encoderPath } from '../../src/features/models/encoder.ts';
import type { Encoder, OpenEncoder, Row } from '../../src/features/models/feature.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const keyBytes = 16;
/** Of what is kept, so many rows of 256 are read again, and have to give the same bytes. */
const readAgain = 5;

/** Opens the encoder with what is kept. `keep` writes what was new; two processes may. */
export function keepVectors(open: OpenEncoder): {
  readonly open: OpenEncoder;
  readonly keep: () => Promise<void>;
} {
  const path = join(process.env['NESTOR_TEST_WEIGHTS'] ?? tmpdir(), `nestor-vectors-${hashOfMaker()}`);
  const kept = new Map<string, Float32Array>();
  let reading: Promise<void> | null = null;
  return {
    async open() {
      const encoder = await open();
      await (reading ??= read(path, encoder.dimensions, kept));
      return {
        ...encoder,
        // What is read about something is no vector.
        run: (rows, ...rest) =>
          rows.some(({ about }) => about) ? encoder.run(rows, ...rest) : run(encoder, kept, rows, rest),
      };
    },
    keep: async () => {
      const records = [...kept].map(([key, vector]) =>
        Buffer.concat([Buffer.from(key, 'latin1'), new Uint8Array(vector.buffer)]),
      );
      const made = `${path}-${process.pid}`;
      await writeFile(made, Buffer.concat(records));
      await rename(made, path);
    },
  };
}

async function run(
  encoder: Encoder,
  kept: Map<string, Float32Array>,
  rows: readonly Row[],
  rest: readonly [signal: AbortSignal, account?: string | undefined],
): Promise<readonly Float32Array[]> {
  const keys = rows.map(keyOf);
  const isNew = keys.map((key) => !kept.has(key));
  const asked = rows.filter((_, at) => isNew[at] === true || (keys[at]?.charCodeAt(0) ?? 0) < readAgain);
  const found = asked.length === 0 ? [] : await encoder.run(asked, ...rest);
  for (const [at, row] of asked.entries()) {
    const [key, vector = new Float32Array()] = [keyOf(row), found[at]];
    const before = kept.get(key);
    if (before !== undefined) assert.deepEqual(vector, before, 'a row gives other bytes than it gave');
    // A copy: what is handed out may be handed to a thread.
    kept.set(key, vector.slice());
  }
  return keys.map((key) => (kept.get(key) ?? new Float32Array()).slice());
}

const keyOf = ({ ids, types }: Row): string =>
  createHash('sha256')
    .update(JSON.stringify([ids, types]))
    .digest()
    .subarray(0, keyBytes)
    .toString('latin1');

async function read(path: string, dimensions: number, kept: Map<string, Float32Array>): Promise<void> {
  if (!existsSync(path)) return;
  const bytes = await readFile(path);
  const vectorBytes = dimensions * Float32Array.BYTES_PER_ELEMENT;
  for (let at = 0; at < bytes.length; at += keyBytes + vectorBytes) {
    const key = bytes.toString('latin1', at, at + keyBytes);
    const from = bytes.byteOffset + at + keyBytes;
    kept.set(key, new Float32Array(bytes.buffer.slice(from, from + vectorBytes)));
  }
}

/** Names whatever has a part in a vector: the weights, the runtime and the sources that ask it. */
function hashOfMaker(): string {
  const hash = createHash('sha256').update(process.version).update(process.arch);
  const paths = [
    // Not what else lies beside the encoder, and reads its vectors.
    ...['model.onnx', ...globSync('**/*.json', { cwd: encoderPath })].map((name) => join(encoderPath, name)),
    ...globSync('src/features/models/onnx/**/*.ts', { cwd: root }).map((name) => join(root, name)),
    join(root, 'node_modules/onnxruntime-web/package.json'),
  ];
  for (const path of paths.toSorted()) hash.update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
}
