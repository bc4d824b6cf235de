import { openRuns, type Runs } from './runs.ts';
import type { Config } from '../../kernel/config.ts';
import { createFailureLog } from '../../kernel/kit/failure-log.ts';
import type { Log } from '../../kernel/kit/log.ts';
import { endAbandoned } from './wire/run-error.ts';
import type { Services, Settings } from '../../kernel/feature.ts';
import { openNotices } from '../../kernel/store/notices.ts';
import { createResponses } from './store/responses.ts';
import type { ToolParts } from '../tools/index.ts';
import { reserveRunRow } from '../accounts/ledger/reports.ts';
import type { OpenParts } from '../../server/parts.ts';
import { openCodeSandbox } from '../sandbox/open-code-sandbox.ts';
import { toToolParts } from '../tools/to-tool-parts.ts';

export interface OpenAgent {
  readonly runs: Runs;
  readonly tools: ToolParts;
  readonly reserveRunRow: Services['reserveRunRow'];
  close(): Promise<void>;
}

type Parts = Pick<
  OpenParts,
  'database' | 'ageGuard' | 'accounts' | 'search' | 'pages' | 'finance' | 'clock' | 'ids'
>;

const dayMs = 86_400_000;

/** Runs of the agent in this process and what they leave in the store. */
export async function openAgent(
  config: Config,
  settings: Settings,
  parts: Parts,
  log: Log,
): Promise<OpenAgent> {
  const { database, ageGuard, accounts, clock, ids } = parts;
  const notices = await openNotices(database);
  const sandbox = openCodeSandbox(config, log);
  const responses = createResponses(database.db);
  const runs = openRuns({
    store: { ...responses, forget: ageGuard((nowMs: number) => responses.forget(nowMs)) },
    notices,
    clock,
    owner: ids.uuid(),
    isAlone: database.store === 'sqlite',
    retentionMs: config.agent.retentionDays * dayMs,
    endAbandoned,
    fullAccounts: (accountIds) => accounts.storageQuota.full(accountIds),
    onError: (error) => log.error({ err: error }, 'agent'),
    onFailure: (fault) => log.warn({ fault: fault.code, err: fault.cause ?? fault }, 'agent run failed'),
  });
  const onFailure = createFailureLog((line) => log.warn(line, 'a tool of the agent failed'), clock);
  return {
    runs,
    tools: toToolParts(settings, parts, () => sandbox.current(), onFailure),
    reserveRunRow: () => reserveRunRow({ meter: accounts.meter, clock }),
    async close() {
      await runs.close();
      await sandbox.close();
      await notices.close();
    },
  };
}
