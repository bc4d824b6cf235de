import { encoderSuits, shareEncoder } from '../../../models/feature.ts';
import { defineEmbeddingEngine } from '../../define-engine.ts';

/** The sentence encoder that ships with Nestor, on machines with the memory for it. */
export const encoder = defineEmbeddingEngine({
  name: 'encoder',
  suits: ({ memoryBytes }) => encoderSuits(memoryBytes),
  async open({ openEncoder = shareEncoder() }) {
    const { openEncoderEngine } = await import('./index.ts');
    return openEncoderEngine(openEncoder);
  },
});
