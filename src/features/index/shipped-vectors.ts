import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { PassageEmbedder } from './to-document.ts';
import type { PassageText } from './windows.ts';

/** Vectors of passages of Nestor's own documentation; `training/derive-guide-vectors.ts` makes them. */
export const shippedVectorsFile = new URL('../../../assets/guide-vectors.bin', import.meta.url);

/** Public name of the engine that made them, and its vectors by the key of their passage. */
export interface ShippedVectors {
  readonly engine: string;
  readonly vectors: ReadonlyMap<string, Uint8Array>;
}

const keyBytes = 16;

/** What is embedded of a passage changes with each of its parts. */
export const passageKey = ({ title, heading, text }: PassageText): string =>
  createHash('sha256')
    .update(JSON.stringify([title, heading, text]))
    .digest('hex')
    .slice(0, keyBytes * 2);

/**
 * The engine, but for passages whose vectors ship with Nestor: reading its documentation takes the encoder a minute and a
 * half of one core. A passage that has changed since is asked of the engine, as all are of another engine.
 */
export function withShippedVectors(
  embedder: PassageEmbedder,
  file: URL = shippedVectorsFile,
): PassageEmbedder {
  let shipped: Promise<ShippedVectors['vectors']> | null = null;
  const open = () => (shipped ??= vectorsFor(embedder.name, file));
  return {
    ...embedder,
    async has(passages) {
      const vectors = await open();
      return passages.every((passage) => vectors.has(passageKey(passage)));
    },
    async embedPassages(passages, signal) {
      const vectors = await open();
      const known = passages.map((passage) => vectors.get(passageKey(passage)));
      const unknown = passages.filter((_, index) => known[index] === undefined);
      const made = (unknown.length === 0 ? [] : await embedder.embedPassages(unknown, signal)).values();
      return known.map((stored) =>
        stored === undefined ? (made.next().value ?? new Float32Array()) : toVector(stored),
      );
    },
  };
}

/** Empty where the engine is another one, or nothing ships that can be read. */
async function vectorsFor(engine: string, file: URL): Promise<ShippedVectors['vectors']> {
  try {
    const shipped = readShippedVectors(await readFile(file));
    return shipped.engine === engine ? shipped.vectors : new Map();
  } catch {
    return new Map();
  }
}

/** As it is stored: the index rounds to the same bytes again, since only the direction counts. */
const toVector = (stored: Uint8Array): Float32Array =>
  Float32Array.from(new Int8Array(stored.buffer, stored.byteOffset, stored.length));

/**
 * A line with the name of the engine, then for each passage its key, the length of what is stored (32 bits, little endian)
 * and that. Throws for a file that is cut off.
 */
export function readShippedVectors(bytes: Uint8Array): ShippedVectors {
  const nameEnd = bytes.indexOf(lineEnd);
  if (nameEnd < 0) throw new RangeError('the file has no name');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const vectors = new Map<string, Uint8Array>();
  for (let at = nameEnd + 1; at < bytes.length;) {
    const startAt = at + keyBytes + 4;
    if (startAt > bytes.length) throw new RangeError('the file is cut off');
    const endAt = startAt + view.getUint32(at + keyBytes, true);
    if (endAt > bytes.length) throw new RangeError('the file is cut off');
    vectors.set(
      Buffer.from(bytes.subarray(at, at + keyBytes)).toString('hex'),
      bytes.subarray(startAt, endAt),
    );
    at = endAt;
  }
  return { engine: new TextDecoder().decode(bytes.subarray(0, nameEnd)), vectors };
}

/** In the order of keys, so that the same vectors are the same bytes. */
export function writeShippedVectors({ engine, vectors }: ShippedVectors): Buffer {
  const records = [...vectors]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, vector]) => {
      const head = Buffer.alloc(keyBytes + 4);
      head.write(key, 'hex');
      head.writeUInt32LE(vector.length, keyBytes);
      return [head, vector];
    });
  return Buffer.concat([Buffer.from(`${engine}\n`), ...records]);
}

const lineEnd = '\n'.charCodeAt(0);
