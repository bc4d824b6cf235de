import type { ConfigOf } from '../../kernel/config.ts';
import { defineFeature } from '../../kernel/feature.ts';
import { routerKeys } from './config.ts';
import { anthropicModelsOperations } from './wire/anthropic/models.ts';
import { anthropicMessagesOperations } from './wire/anthropic/operation.ts';
import { routerChatOperations } from './wire/chat/operation.ts';
import { routerMessagesOperations } from './wire/messages/operation.ts';
import { routerModelsOperations } from './wire/models/operation.ts';
import { openAiChatOperations } from './wire/openai/operation.ts';

declare module '../../kernel/config.ts' {
  interface ConfigKeys extends ConfigOf<typeof routerKeys> {}
}

declare module '../../kernel/feature.ts' {
  interface Settings {
    readonly router: {
      /** Fields that strict mode refuses are dropped and named in a header. */
      readonly lenient: boolean;
      readonly timeoutMs: number;
      /** Stands for names on `/anthropic` that are not known; null where none does. */
      readonly defaultModel: string | null;
    };
  }
}

/** Every model under the interfaces of others: Messages, chat completions. */
export const feature = defineFeature({
  name: 'router',
  config: { keys: routerKeys },
  settings: ({ router: { lenient }, anthropic: { defaultModel }, chat }) => ({
    router: { lenient, defaultModel, timeoutMs: chat.timeoutS * 1_000 },
  }),
  operations: (settings) => [
    ...routerMessagesOperations(settings),
    ...routerChatOperations(settings),
    ...routerModelsOperations,
    ...openAiChatOperations(settings),
    ...anthropicMessagesOperations(settings),
    ...anthropicModelsOperations(settings),
  ],
});
