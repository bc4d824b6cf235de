import { defineEngine } from '../../engine.ts';

/** Ships with Nestor and needs nothing. */
export const words = defineEngine({
  name: 'words',
  ships: true,
  suits: () => true,
  open: async () => (await import('./index.ts')).openWordsEngine(),
});
