import { defineFeature } from '../../kernel/feature.ts';
import { readConsole, type ConsoleFiles } from './files.ts';
import { consolePages } from './wire/operation.ts';

declare module '../../kernel/feature.ts' {
  interface Services {
    /** The web console as it was built. */
    readonly console: ConsoleFiles;
  }
}

/** The web console, which `bin/console.mjs` builds. */
export const feature = defineFeature({
  name: 'console',
  gives: ['console'],
  open: async () => ({ console: readConsole() }),
  pages: consolePages,
});
