import { defineEngine } from '../../engine.ts';

/** Ships with Nestor: a small sentence encoder beside the words. */
export const encoder = defineEngine({
  name: 'encoder',
  ships: true,
  suits: ({ openEncoder }) => openEncoder !== null,
  open: async ({ openEncoder, isAuto = false, cacheFolder, listening }) => {
    const { openEncoderEngine } = await import('./index.ts');
    const { shareEncoder } = await import('../../../models/feature.ts');
    return openEncoderEngine({
      openEncoder: openEncoder ?? shareEncoder(),
      isAuto,
      ...(listening !== undefined && { listening }),
      ...(cacheFolder !== undefined && { cacheFolder }),
    });
  },
});
