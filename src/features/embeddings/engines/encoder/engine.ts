import { encoderSuits, shareEncoder } from '../../../models/feature.ts';
import { defineEmbeddingEngine } from '../../define-engine.ts';

/** The sentence encoder that ships with Nestor, on machines with the memory for it. */
export const encoder = defineEmbeddingEngine({
  name: 'encoder',
  suits: ({ openEncoder, memoryBytes }) => openEncoder !== null && encoderSuits(memoryBytes),
  async open({ openEncoder }) {
    const { openEncoderEngine } = await import('./index.ts');
    return openEncoderEngine(openEncoder ?? shareEncoder());
  },
});
