import type { OpenEncoder } from '../../../models/feature.ts';
import { createDownEngine, createInProcessEngine, type InProcessEngine } from '../../in-process.ts';
import { toRowEmbedder } from '../../rows.ts';
import { inWindows } from './windows.ts';

const name = 'encoder';
/** Better than 1.5 on three sets of questions; see docs/decisions/2026-11-23-encoder-embeddings.md. */
const meaningWeight = 3;

/**
 * Embeddings by the sentence encoder that ships with Nestor and that all of this process share. Its weights are read with
 * the first text. Never rejects: without the files it is down, as `problem` says.
 */
export async function openEncoderEngine(
  openEncoder: OpenEncoder,
  requestsMax?: number,
): Promise<InProcessEngine> {
  try {
    const encoder = await openEncoder();
    const embedder = inWindows(toRowEmbedder(encoder, ''));
    return {
      ...createInProcessEngine(name, embedder, requestsMax),
      vectors: `${name}:${encoder.version}`,
      storedDimensions: encoder.dimensions,
      meaningWeight,
    };
  } catch (error) {
    return createDownEngine(name, error instanceof Error ? error.message : String(error));
  }
}
