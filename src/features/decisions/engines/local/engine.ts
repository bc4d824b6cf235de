import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { defineEngine } from '../../engine.ts';

/** A GGUF file in this process. */
export const local = defineEngine({
  name: 'local',
  suits: ({ path }) => path !== null,
  find: findFile,
  async open({ path, gpu, threads = null, openLocal, onLabelMass }) {
    if (path === null)
      throw new Error(
        'decisions.path: no GGUF file is named, and none lies in the data folder or its models folder',
      );
    const { openLocalEngine } = await import('./index.ts');
    return openLocalEngine({ path, gpu, threads, onLabelMass, ...(openLocal && { open: openLocal }) });
  },
});

/** The first GGUF file by name; null when there is none. */
async function findFile(folder: string): Promise<string | null> {
  for (const place of [folder, join(folder, 'models')]) {
    const names = await readdir(place).catch(() => []);
    const [first] = names.filter((name) => name.endsWith('.gguf')).toSorted();
    if (first !== undefined) return join(place, first);
  }
  return null;
}
