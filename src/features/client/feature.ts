import { defineFeature } from '../../kernel/feature.ts';
import type { PublishedApi } from './api.ts';
import { openPublished } from './open-client.ts';

export { ApiError, type PublishedApi, describeApiError } from './api.ts';
export { type Answer, ask } from './ask.ts';
export { clientCommand, clientUsage, toServer } from './commands/client-command.ts';
export { createPaint, toLine } from './commands/client-paint.ts';
export { type Verdict, decide } from './decide.ts';
export { type ServerNames, readNames } from './names.ts';
export { openClient } from './open-client.ts';
export { type Job, awaitJob, startResearch } from './research.ts';
export { type Source, search } from './search.ts';

declare module '../../kernel/feature.ts' {
  interface Services {
    /** The operations of this server, called as the owner of a key. */
    readonly published: { withKey(key: string): PublishedApi };
  }
}

declare module '../../kernel/commands/command.ts' {
  interface CommandContext {
    /** NESTOR_URL of the environment, and NESTOR_KEY or else NESTOR_ROOT_KEY. */
    readonly api: { readonly url: string | undefined; readonly key: string | undefined };
    /** The data folder as far as it is known without reading the configuration. */
    readonly usualFolder: string;
  }
}

/** Nestor's own API as its commands and MCP call it. */
export const feature = defineFeature({
  name: 'client',
  gives: ['published'],
  async open({ keep, onListening }) {
    const published = await keep(openPublished());
    onListening((url) => published.at(url));
    return { published };
  },
});
