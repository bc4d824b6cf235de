import { defineEmbeddingEngine } from '../../define-engine.ts';

/** A GGUF file in this process. */
export const local = defineEmbeddingEngine({
  name: 'local',
  suits: ({ path }) => path !== null,
  async open({ path, gpu, dataFolder }) {
    const { openLocalEngine } = await import('./index.ts');
    return openLocalEngine({ path, gpu, dataFolder });
  },
});
