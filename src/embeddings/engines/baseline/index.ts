import { setImmediate as yieldNow } from 'node:timers/promises';
import { countTokens } from '../../../kit/words.ts';
import { readWordVectors, type WordVectors } from '../../../kit/word-vectors.ts';
import { mixDocument } from '../../context.ts';
import type { EmbeddingEngine } from '../../embedding.ts';
import { directionsInSteps } from './lexicon.ts';
import { createVectorise, type Vectorise } from './vectorise.ts';

/** UTF-16 units vectorised between two looks at the event loop: about 1 ms, several times that at first. */
const sliceUnits = 20_000;

/**
 * Embeddings without a model: what the words mean together and which words they are. English first; a text of
 * another script is compared by its characters. The table of words is read at the first use.
 */
export function openBaselineEngine(
  load: () => Promise<WordVectors> = readWordVectors,
): Promise<EmbeddingEngine> {
  let prepared: Promise<Vectorise> | null = null;
  const prepare = () => {
    prepared ??= prepareVectorise(load).catch((error: unknown) => {
      prepared = null;
      throw error;
    });
    return prepared;
  };

  const embed: EmbeddingEngine['embed'] = async (texts, size, signal) => {
    const vectorise = await prepare();
    signal.throwIfAborted();
    const vectors: Float32Array[] = [];
    let units = 0;
    for (const text of texts) {
      if (units > sliceUnits) {
        units = 0;
        await yieldNow();
        signal.throwIfAborted();
      }
      units += text.length;
      vectors.push(vectorise(text, size));
    }
    return vectors;
  };

  return Promise.resolve({
    name: 'baseline',
    health: () => 'ok',
    countTokens: (texts) => Promise.resolve(texts.map((text) => countTokens(text))),
    embed,
    embedChunks: async (chunks, size, signal) => mixDocument(await embed(chunks, size, signal)),
    close: () => Promise.resolve(),
  });
}

/** In steps: at once it would hold the event loop for some 40 ms. */
async function prepareVectorise(load: () => Promise<WordVectors>): Promise<Vectorise> {
  const vectors = await load();
  const steps = directionsInSteps(vectors);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return createVectorise(vectors, step.value);
    await yieldNow();
  }
}
