import { defineEmbeddingEngine } from '../../define-engine.ts';

export const baseline = defineEmbeddingEngine({
  name: 'baseline',
  suits: () => true,
  open: async () => (await import('./index.ts')).openBaselineEngine(),
});
