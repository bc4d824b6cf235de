import { defineEngine } from '../../engine.ts';

/** Ships with Nestor and needs nothing. */
export const baseline = defineEngine({
  name: 'baseline',
  suits: () => true,
  open: async () => (await import('./index.ts')).openBaselineEngine(),
});
