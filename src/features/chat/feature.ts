import type { ConfigOf } from '../../kernel/config.ts';
import { defineFeature } from '../../kernel/feature.ts';
import { chatKeys } from './config.ts';
import type { Chat } from './chat.ts';
import { openChat } from './open-chat.ts';
import type { JobQueue } from '../jobs/feature.ts';
import { asyncOperations } from './wire/async/operation.ts';
import { chatOperations } from './wire/chat/operation.ts';

declare module '../../kernel/config.ts' {
  interface ConfigKeys extends ConfigOf<typeof chatKeys> {}
}

declare module '../../kernel/feature.ts' {
  interface Services {
    readonly chat: Chat;
    readonly jobs: JobQueue;
  }

  interface Settings {
    readonly chat: {
      readonly timeoutMs: number;
      /** Neighbouring messages of one role are merged instead of refused. */
      readonly lenientRoles: boolean;
      /** Whether replies carry `citations`. */
      readonly citations: boolean;
    };
  }
}

/** Chat completions grounded in search, at once and as jobs. */
export const feature = defineFeature({
  name: 'chat',
  config: { keys: chatKeys },
  needs: ['models', 'structured', 'search', 'pages', 'fetchMedia'],
  gives: ['chat', 'jobs'],
  settings: ({ chat: { timeoutS, lenientRoles, citations } }) => ({
    chat: { timeoutMs: timeoutS * 1_000, lenientRoles, citations },
  }),
  open: ({ config, settings, kernel, services, keep }) =>
    keep(openChat(config, settings, { ...kernel, ...services })),
  operations: (settings) => [...chatOperations(settings), ...asyncOperations(settings)],
});
