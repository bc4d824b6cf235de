import { shareEncoder } from '../../../models/feature.ts';
import { defineEmbeddingEngine } from '../../define-engine.ts';

/** The sentence encoder that ships with Nestor. */
export const encoder = defineEmbeddingEngine({
  name: 'encoder',
  async open({ openEncoder = shareEncoder() }) {
    const { openEncoderEngine } = await import('./index.ts');
    return openEncoderEngine(openEncoder);
  },
});
