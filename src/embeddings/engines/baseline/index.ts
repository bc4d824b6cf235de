import { setImmediate as yieldNow } from 'node:timers/promises';
import { countTokens } from '../../../kit/words.ts';
import { loadWordVectors } from '../../../kit/word-vectors.ts';
import { mixDocument } from '../../context.ts';
import type { EmbeddingEngine } from '../../embedding.ts';
import { createVectorise, type Vectorise } from './vectorise.ts';

/** UTF-16 units vectorised between two looks at the event loop: about 2 ms. */
const sliceUnits = 50_000;

/**
 * Embeddings without a model: what the words mean together and which words they are. English first; a text of
 * another script is compared by its characters. The table of words is read at the first use.
 */
export function openBaselineEngine(load = loadWordVectors): Promise<EmbeddingEngine> {
  let vectorise: Vectorise | null = null;

  const embed: EmbeddingEngine['embed'] = async (texts, size, signal) => {
    vectorise ??= createVectorise(load());
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
