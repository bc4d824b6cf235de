import { defineEngine } from '../../engine.ts';

/** A GGUF file in this process. */
export const local = defineEngine({
  name: 'local',
  suits: ({ path }) => path !== null,
  async find(folder) {
    const { findDecidingFile } = await import('../../../models/feature.ts');
    return findDecidingFile(folder);
  },
  async open({ path, gpu, threads = null, openLocal, onLabelMass }) {
    if (path === null)
      throw new Error(
        'decisions.path: no GGUF file is named, and none lies in the data folder or its models folder',
      );
    const { openLocalEngine } = await import('./index.ts');
    return openLocalEngine({ path, gpu, threads, onLabelMass, ...(openLocal && { open: openLocal }) });
  },
});
