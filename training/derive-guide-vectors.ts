import { writeFile } from 'node:fs/promises';
import { docsPassages } from '../src/features/index/docs.ts';
import {
  passageKey,
  shippedVectorsFile,
  writeShippedVectors,
} from '../src/features/index/shipped-vectors.ts';
import { toEmbedder, toStoredVector } from '../src/features/index/to-document.ts';
import { openEncoderEngine } from '../src/features/embeddings/engines/encoder/index.ts';
import { shareEncoder } from '../src/features/models/feature.ts';

// Usage: node training/derive-guide-vectors.ts
const { signal } = new AbortController();
const passages = await docsPassages(new URL('../', import.meta.url));
const engine = await openEncoderEngine(shareEncoder());
const embedder = toEmbedder(engine);
const vectors = new Map<string, Uint8Array>();
for (const [index, passage] of passages.entries()) {
  const [vector = new Float32Array()] = await embedder.embedPassages([passage], signal);
  vectors.set(passageKey(passage), toStoredVector(vector));
  if (index % 100 === 99) process.stderr.write(`${index + 1} of ${passages.length} passages\n`);
}
await engine.close();
const bytes = writeShippedVectors({ engine: embedder.name, vectors });
await writeFile(shippedVectorsFile, bytes);
process.stdout.write(`${vectors.size} passages, ${bytes.length} bytes\n`);
