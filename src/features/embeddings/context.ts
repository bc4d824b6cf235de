import { runInSlices } from '../../kernel/kit/slices.ts';

/** How much of its document a chunk's vector carries. Chosen on passages of Nestor's own docs (bench/embeddings). */
const documentShare = 0.3;

/** Mixes the mean of a document into its chunks, for engines that see one text at a time. Rejects as the signal says. */
export function mixDocument(
  chunks: readonly Float32Array[],
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  return runInSlices(mixInSteps(chunks), signal);
}

function* mixInSteps(chunks: readonly Float32Array[]): Generator<void, readonly Float32Array[]> {
  const [first] = chunks;
  if (first === undefined || chunks.length === 1) return chunks;
  const mean = new Float32Array(first.length);
  for (const chunk of chunks) {
    addTo(mean, chunk, 1 / (lengthOf(chunk) || 1));
    yield;
  }
  const share = documentShare / (lengthOf(mean) || 1);
  const all: Float32Array[] = [];
  for (const chunk of chunks) {
    const mixed = new Float32Array(chunk.length);
    addTo(mixed, chunk, (1 - documentShare) / (lengthOf(chunk) || 1));
    addTo(mixed, mean, share);
    all.push(mixed);
    yield;
  }
  return all;
}

function addTo(sum: Float32Array, vector: Float32Array, weight: number): void {
  for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + weight * (vector[i] ?? 0);
}

function lengthOf(vector: Float32Array): number {
  let squares = 0;
  for (let i = 0; i < vector.length; i++) squares += (vector[i] ?? 0) ** 2;
  return Math.sqrt(squares);
}
