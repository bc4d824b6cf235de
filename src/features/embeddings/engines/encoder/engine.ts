import { defineEmbeddingEngine } from '../../define-engine.ts';

/** The sentence encoder that ships with Nestor, on machines with the memory for it. */
export const encoder = defineEmbeddingEngine({
  name: 'encoder',
  suits: ({ openEncoder }) => openEncoder !== null,
  async open({ openEncoder }) {
    const { shareEncoder } = await import('../../../models/feature.ts');
    const { openEncoderEngine } = await import('./index.ts');
    return openEncoderEngine(openEncoder ?? shareEncoder());
  },
});
