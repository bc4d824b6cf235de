import { defineEmbeddingEngine } from '../../define-engine.ts';

/** A GGUF file in this process. */
export const local = defineEmbeddingEngine({
  name: 'local',
  suits: ({ path }) => path !== null,
  async open({ path, gpu, threads = null, dataFolder }) {
    const { openLocalEngine } = await import('./index.ts');
    return openLocalEngine({ path, gpu, threads, dataFolder });
  },
});
