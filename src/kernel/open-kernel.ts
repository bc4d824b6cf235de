import type { Config } from './config.ts';
import { createDrain, type Drain } from './http/drain.ts';
import type { Metrics } from './http/metrics.ts';
import { systemClock, type Clock } from './kit/clock.ts';
import { openGuardedClient, type GuardedClient } from './kit/guarded-client.ts';
import { randomIds, type Ids } from './kit/ids.ts';
import type { Log } from './kit/log.ts';
import { createAgeGuard, type AgeGuard } from './store/age-guard.ts';
import { openDatabase, type Database } from './store/database.ts';

export interface Kernel {
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly database: Database;
  /** Guards the deletion of old data. */
  readonly ageGuard: AgeGuard;
  /** For addresses that callers name. */
  readonly client: GuardedClient;
  /** Null without a port. */
  readonly metrics: Metrics | null;
  readonly drain: Drain;
}

/** Registers something to be closed with the server, also while it is being opened. */
export type Keep = <Part extends { close(): Promise<void> }>(part: Part | Promise<Part>) => Promise<Part>;

/** Replacements that tests pass in. */
export interface KernelOverrides {
  readonly log: Log;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Waits out a drain. */
  readonly wait?: (ms: number) => Promise<void>;
  /** Called when the store is lost for this process. */
  readonly onStoreLost?: (reason: Error) => void;
}

/** `isServer` locks an embedded store for this process and serves metrics. */
export async function openKernel(
  config: Config,
  { log, clock = systemClock, ids = randomIds, wait, onStoreLost }: KernelOverrides,
  keep: Keep,
  { isServer }: { readonly isServer: boolean },
): Promise<Kernel> {
  const {
    host,
    metrics: { port },
    database: url,
    dataFolder,
  } = config;
  const metrics = isServer && port !== null ? await keep(openMetrics(host, port)) : null;
  const database = await keep(
    openDatabase(url, {
      dataFolder,
      isServer,
      threadEvents: {
        ended: (err) => log.error({ err }, 'the storage thread ended; it is opened again'),
        reopened: () => log.info('the storage thread was opened again'),
        lost: (reason) => onStoreLost?.(reason),
      },
    }),
  );
  return {
    log,
    clock,
    ids,
    database,
    ageGuard: openAgeGuard(database, clock, log),
    client: await keep(openGuardedClient(config.outbound)),
    metrics,
    drain: createDrain(config.drainS * 1_000, wait),
  };
}

/** Imported only here: prom-client observes the process all the time. */
async function openMetrics(host: string, port: number): Promise<Metrics> {
  const module = await import('./http/metrics.ts');
  return module.openMetrics(host, port);
}

function openAgeGuard(database: Database, clock: Clock, log: Pick<Log, 'warn'>): AgeGuard {
  return createAgeGuard(database, clock, (aheadMs) => {
    const days = Math.round(aheadMs / 86_400_000);
    log.warn(
      `the clock is ${days} days past the last use of this store: what is old is deleted in an hour; set the clock if it is wrong`,
    );
  });
}
