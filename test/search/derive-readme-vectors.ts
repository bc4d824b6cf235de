/** Makes `readme-vectors.bin`, where the encoder or a README has changed: `node test/search/derive-readme-vectors.ts`. */
import { writeFile } from 'node:fs/promises';

import { openEncoderEngine } from '../../src/features/embeddings/engines/encoder/index.ts';
import { passageKey, writeShippedVectors } from '../../src/features/index/shipped-vectors.ts';
import { toEmbedder, toStoredVector } from '../../src/features/index/to-document.ts';
import { shareEncoder } from '../../src/features/models/feature.ts';
import { openTestIndex } from './index-support.ts';
import { readmePassages, readmeVectorsFile } from './readme-index.ts';

const { signal } = new AbortController();
const engine = await openEncoderEngine(shareEncoder());
const embedder = toEmbedder(engine);
const closing: (() => Promise<void> | void)[] = [];
const index = await openTestIndex({ after: (close) => void closing.push(close) }, [], engine);
const passages = await readmePassages(index);
const vectors = new Map<string, Uint8Array>();
for (const [at, passage] of passages.entries()) {
  const [vector = new Float32Array()] = await embedder.embedPassages([passage], signal);
  vectors.set(passageKey(passage), toStoredVector(vector));
  if (at % 100 === 99) process.stderr.write(`${at + 1} of ${passages.length} passages\n`);
}
for (const close of closing.toReversed()) await close();
await engine.close();
const bytes = writeShippedVectors({ engine: embedder.name, vectors });
await writeFile(readmeVectorsFile, bytes);
process.stdout.write(`${vectors.size} passages, ${bytes.length} bytes\n`);
