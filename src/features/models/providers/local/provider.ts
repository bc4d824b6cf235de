import { basename } from 'node:path';
import { text } from '../../../../kernel/config/shape.ts';
import { defineProvider, modelKey } from '../../define-provider.ts';

export const local = defineProvider({
  type: 'local',
  settings: {
    description: 'A GGUF file run in this process.',
    keys: { path: text('The GGUF file.'), ...modelKey },
  },
  async open({ name, path, models }, { ids, openLocal: open }) {
    const { openLocal } = await import('./index.ts');
    const { id = basename(path, '.gguf'), context = null } = models === '*' ? {} : (models[0] ?? {});
    // Prices and what the router serves are laid over by the catalog, for every provider alike.
    return openLocal(
      { name, path, model: { id, contextTokensMax: context, price: null, router: true } },
      { ids, open },
    );
  },
});
