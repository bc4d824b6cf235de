import { defineEmbeddingEngine } from '../../define-engine.ts';

export const words = defineEmbeddingEngine({
  name: 'words',
  suits: () => true,
  open: async () => (await import('./index.ts')).openWordsEngine(),
});
