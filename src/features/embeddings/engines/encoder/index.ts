import { errorMessage } from '../../../../kernel/kit/errors.ts';
import type { OpenEncoder } from '../../../models/feature.ts';
import { createDownEngine, createInProcessEngine, type InProcessEngine } from '../../in-process.ts';
import { toRowEmbedder } from '../../rows.ts';
import { inWindows } from './windows.ts';

const name = 'encoder';
/** Chosen together; see docs/decisions/2026-11-23-ranking-by-the-encoder.md, of the floor and the least cosine 2026-11-27-candidates-by-meaning.md. */
const passageUnits = 500;
const rankingWeights = { floor: 0.7, meaning: 3, beginning: 2.5, aloneMin: 0.25, title: 0.25 };
/** Of what is embedded of a passage: with another one all vectors of an index are made anew. */
const passageForm = 2;

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
      vectors: `${name}:${encoder.version}.${passageForm}`,
      storedDimensions: encoder.dimensions,
      passageUnits,
      rankingWeights,
    };
  } catch (error) {
    return createDownEngine(name, errorMessage(error));
  }
}
