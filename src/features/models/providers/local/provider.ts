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
    const { id, context } = models === '*' ? {} : (models[0] ?? {});
    return openLocal({ name, path, id, contextTokensMax: context }, { ids, open });
  },
});
