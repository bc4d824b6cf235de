import type { ConfigOf } from '../../kernel/config.ts';
import { defineFeature } from '../../kernel/feature.ts';
import { agentKeys } from './config.ts';
import { openPubSub } from '../../kernel/store/pub-sub.ts';
import type { VerifySetting } from '../verification/feature.ts';
import type { AgentRole } from './presets.ts';
import { createConversationService, type Conversations } from './conversations.ts';
import { RunRegistry } from './runs.ts';
import { createConversations } from './store/conversations.ts';
import { createResponses } from './store/responses.ts';
import { endAbandoned } from './wire/run-error.ts';
import { agentOperations } from './wire/operation.ts';

export type { AgentEvent, RunUsage } from './events.ts';
export { appendToQuestion, lastQuestion, queryCharsMax, runAgent, textOf, type AgentRun } from './loop.ts';
export { CitationIndex } from './citation-index.ts';
export { RunMeter } from './wire/usage.ts';

declare module '../../kernel/config.ts' {
  interface ConfigKeys extends ConfigOf<typeof agentKeys> {}
}

declare module '../../kernel/feature.ts' {
  interface Services {
    readonly runs: RunRegistry;
    readonly conversations: Conversations;
  }

  interface Settings {
    readonly agent: {
      /** Models of the presets, as `provider/model`. */
      readonly roles: Readonly<Record<AgentRole, string>>;
      readonly timeoutMs: number;
      readonly verify: VerifySetting;
      /** `seen`: only addresses that others than the model named are read. */
      readonly fetch: 'any' | 'seen';
    };
  }
}

/** Answers with tools: streamed, stored, resumed. */
export const feature = defineFeature({
  name: 'agent',
  config: { keys: agentKeys },
  needs: ['storageQuota'],
  gives: ['runs', 'conversations'],
  settings: ({ agent: { roles, fetch, verify }, chat }) => ({
    agent: { roles, timeoutMs: chat.timeoutS * 1_000, fetch, verify },
  }),
  async open({ config, kernel, services: { storageQuota }, keep }) {
    const { database, ageGuard, clock, ids, log } = kernel;
    const responses = createResponses(database.db);
    const retentionMs = config.agent.retentionDays * 86_400_000;
    const conversations = createConversationService({
      store: createConversations(database.db),
      clock,
      ids,
      ageGuard,
      retentionMs,
    });
    const forget = ageGuard((nowMs: number) => responses.forget(nowMs));
    const runs = new RunRegistry({
      store: {
        ...responses,
        async forget(nowMs) {
          await conversations.forget(nowMs);
          return forget(nowMs);
        },
      },
      pubSub: await keep(openPubSub(database)),
      clock,
      owner: ids.uuid(),
      isAlone: database.store === 'sqlite',
      retentionMs,
      endAbandoned,
      fullAccounts: (accountIds) => storageQuota.full(accountIds),
      onError: (error) => log.error({ err: error }, 'agent'),
      onFailure: (fault) => log.warn({ fault: fault.code, err: fault.cause ?? fault }, 'agent run failed'),
    });
    return { runs: await keep(Promise.resolve(runs)), conversations };
  },
  operations: agentOperations,
});
