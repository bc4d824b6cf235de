import { defineEngine } from '../../engine.ts';

/** Ships with Nestor: a small sentence encoder beside the words. */
export const encoder = defineEngine({
  name: 'encoder',
  suits: ({ openEncoder }) => openEncoder !== null,
  open: async ({ openEncoder, isAuto = false, cacheFolder }) => {
    const { openEncoderEngine } = await import('./index.ts');
    const { shareEncoder } = await import('../../../models/feature.ts');
    return openEncoderEngine({
      openEncoder: openEncoder ?? shareEncoder(),
      isAuto,
      ...(cacheFolder !== undefined && { cacheFolder }),
    });
  },
});
