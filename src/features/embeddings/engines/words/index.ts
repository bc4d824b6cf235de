import { countEach } from '../../../../kernel/kit/count-tokens.ts';
import { preparedOnce } from '../../../../kernel/kit/prepared.ts';
import { runInSlices } from '../../../../kernel/kit/slices.ts';
import { readWordVectors, type WordVectors } from '../../../../kernel/kit/word-vectors.ts';
import { mixDocument } from '../../context.ts';
import type { EmbeddingEngine, EmbeddingSize } from '../../embedding.ts';
import { directionsInSteps } from './lexicon.ts';
import { createVectorise, type Vectorise } from './vectorise.ts';

/** Values beyond these hold single words, which an index finds better by themselves. */
const storedDimensions = 256;
/** Passages with none of the words changed nothing that was measured; see docs/decisions/2026-11-27-candidates-by-meaning.md. */
const rankingWeights = { aloneMin: 1 };

/**
 * Embeddings without a model: a vector holds what the words of a text mean together and which words they are. Made for
 * English; texts in other scripts are compared by their characters. The table of words is read at the first use.
 */
export function openWordsEngine(
  load: () => Promise<WordVectors> = readWordVectors,
): Promise<EmbeddingEngine> {
  const prepare = preparedOnce(() => prepareVectorise(load));

  const embed: EmbeddingEngine['embed'] = async (texts, size, signal) => {
    const vectorise = await prepare();
    return runInSlices(vectoriseEach(vectorise, texts, size), signal);
  };

  return Promise.resolve({
    name: 'words',
    storedDimensions,
    rankingWeights,
    health: () => 'ok',
    countTokens: countEach,
    embed,
    embedChunks: async (chunks, size, signal) => mixDocument(await embed(chunks, size, signal), signal),
    close: () => Promise.resolve(),
  });
}

function* vectoriseEach(
  vectorise: Vectorise,
  texts: readonly string[],
  size: EmbeddingSize,
): Generator<void, readonly Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (const text of texts) {
    vectors.push(vectorise(text, size));
    yield;
  }
  return vectors;
}

/** In slices: at once it would block the event loop for about 40 ms. */
async function prepareVectorise(load: () => Promise<WordVectors>): Promise<Vectorise> {
  const vectors = await load();
  return createVectorise(
    vectors,
    await runInSlices(directionsInSteps(vectors), new AbortController().signal),
  );
}
