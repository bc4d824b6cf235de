import assert from 'node:assert/strict';

import { passageKey, type ShippedVectors } from '../../src/features/index/shipped-vectors.ts';
import { toStoredVector, type PassageEmbedder } from '../../src/features/index/to-document.ts';
import type { PassageText } from '../../src/features/index/windows.ts';

const { signal } = new AbortController();

/** That a share of the passages has vectors in the file which `by` makes, and that some of them are what the embedder says. */
export async function assertMadeBy(
  embedder: PassageEmbedder,
  shipped: ShippedVectors,
  passages: readonly PassageText[],
  { share, by }: { readonly share: number; readonly by: string },
): Promise<void> {
  assert.equal(shipped.engine, embedder.name, `node ${by}`);
  const known = passages.filter((passage) => shipped.vectors.has(passageKey(passage)));
  assert.ok(known.length >= share * passages.length, `${known.length} of ${passages.length}: node ${by}`);
  const step = Math.ceil(known.length / 8);
  const some = known.filter((_, index) => index % step === 0);
  assert.ok(some.length >= 5);
  const vectors = await embedder.embedPassages(some, signal);
  for (const [index, passage] of some.entries()) {
    const [made, stored] = [
      toStoredVector(vectors[index] ?? new Float32Array()),
      shipped.vectors.get(passageKey(passage)) ?? new Uint8Array(),
    ];
    assert.equal(stored.length, made.length, passage.heading);
    // Runtimes may differ in last bits, and so in a step of rounding.
    const far = made.findIndex((byte, at) => Math.abs(toSigned(byte) - toSigned(stored[at] ?? 0)) > 1);
    assert.equal(far, -1, passage.heading);
  }
}

const toSigned = (byte: number): number => (byte << 24) >> 24;
