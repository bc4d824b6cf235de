import { openRuns, type Runs } from './runs.ts';
import type { Config } from '../../kernel/config.ts';
import type { Services } from '../../kernel/feature.ts';
import type { Kernel } from '../../kernel/open-kernel.ts';
import { endAbandoned } from './wire/run-error.ts';
import { openPubSub } from '../../kernel/store/pub-sub.ts';
import { createResponses } from './store/responses.ts';

const dayMs = 86_400_000;

/** Runs of the agent in this process and what they leave in the store. */
export async function openAgent(
  config: Config,
  { database, ageGuard, clock, ids, log }: Pick<Kernel, 'database' | 'ageGuard' | 'clock' | 'ids' | 'log'>,
  storageQuota: Services['storageQuota'],
): Promise<{ readonly runs: Runs; close(): Promise<void> }> {
  const pubSub = await openPubSub(database);
  const responses = createResponses(database.db);
  const runs = openRuns({
    store: { ...responses, forget: ageGuard((nowMs: number) => responses.forget(nowMs)) },
    pubSub,
    clock,
    owner: ids.uuid(),
    isAlone: database.store === 'sqlite',
    retentionMs: config.agent.retentionDays * dayMs,
    endAbandoned,
    fullAccounts: (accountIds) => storageQuota.full(accountIds),
    onError: (error) => log.error({ err: error }, 'agent'),
    onFailure: (fault) => log.warn({ fault: fault.code, err: fault.cause ?? fault }, 'agent run failed'),
  });
  return {
    runs,
    async close() {
      await runs.close();
      await pubSub.close();
    },
  };
}
