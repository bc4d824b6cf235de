import type { ConfigOf } from '../../kernel/config.ts';
import { defineFeature } from '../../kernel/feature.ts';
import { agentKeys } from './config.ts';
import { openAgent } from './open-agent.ts';
import type { AgentRole } from './presets.ts';
import type { Runs } from './runs.ts';
import { agentOperations } from './wire/operation.ts';

export type { AgentEvent, RunUsage } from './events.ts';
export { runAgent } from './loop.ts';
export { CitationIndex } from './citation-index.ts';

declare module '../../kernel/config.ts' {
  interface ConfigKeys extends ConfigOf<typeof agentKeys> {}
}

declare module '../../kernel/feature.ts' {
  interface Services {
    readonly runs: Runs;
  }

  interface Settings {
    readonly agent: {
      /** Models of the presets, as `provider/model`. */
      readonly roles: Readonly<Record<AgentRole, string>>;
      /** Longest duration of a run. */
      readonly timeoutMs: number;
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
  gives: ['runs'],
  settings: ({ agent: { roles, fetch }, chat }) => ({
    agent: { roles, timeoutMs: chat.timeoutS * 1_000, fetch },
  }),
  async open({ config, kernel, services: { storageQuota }, keep }) {
    const { runs } = await keep(openAgent(config, kernel, storageQuota));
    return { runs };
  },
  operations: agentOperations,
});
