import type { ConfigOf } from '../../kernel/config.ts';
import { defineFeature } from '../../kernel/feature.ts';
import { openIndexAdministration, type IndexAdministration } from './administration.ts';
import { indexConfig, type indexKeys } from './config.ts';
import { prepareIndexing, type IndexTools } from './open-index.ts';
import { accountIndexOperations } from './wire/account/operation.ts';
import { adminIndexOperations } from './wire/admin/operation.ts';
import type { Config } from '../../kernel/config.ts';

export { openIndexTools } from './open-index.ts';

declare module '../../kernel/config.ts' {
  interface ConfigKeys extends ConfigOf<typeof indexKeys> {}
}

declare module '../../kernel/feature.ts' {
  interface Services {
    readonly index: IndexAdministration;
  }

  interface Overrides {
    /** Address at which Nestor's own documentation is found, by that of the server; null for no documentation. */
    readonly docsAt?: (url: string) => string | null;
  }
}

declare module '../../kernel/commands/command.ts' {
  interface CommandContext {
    openIndex(config: Config): Promise<IndexTools>;
  }
}

/** Folders, pages, sites and feeds that searches find, and when they are read again. */
export const feature = defineFeature({
  name: 'index',
  config: indexConfig,
  needs: ['embeddings', 'firstFill', 'pages'],
  gives: ['index'],
  async open({ config, kernel, services, overrides, keep, onListening }) {
    const indexing = await keep(prepareIndexing(config, { ...kernel, ...services }, kernel.log));
    const { docsAt = (url) => config.publicUrl ?? url } = overrides;
    onListening((url) => services.firstFill.begin(indexing.start(docsAt(url))));
    return { index: await keep(openIndexAdministration(indexing.context(), kernel.log)) };
  },
  operations: (settings) => [...accountIndexOperations, ...adminIndexOperations(settings)],
});
