import type { Config } from './config.ts';
import { createDrain, type Drain } from './http/drain.ts';
import type { Metrics } from './http/metrics.ts';
import { systemClock, type Clock } from './kit/clock.ts';
import { openGuardedClient, type GuardedClient } from './kit/guarded-client.ts';
import { randomIds, type Ids } from './kit/ids.ts';
import type { Log } from './kit/log.ts';
import { createAgeGuard, type AgeGuard } from './store/age-guard.ts';
import { openDatabase, type Database } from './store/database.ts';

/** What every feature is built on. */
export interface Kernel {
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly database: Database;
  /** For what is deleted when it is old. */
  readonly ageGuard: AgeGuard;
  /** For addresses that callers name. */
  readonly client: GuardedClient;
  /** Null where no port is configured. */
  readonly metrics: Metrics | null;
  readonly drain: Drain;
}

/** Takes what closes, also while it is being opened, and closes it when the server does. */
export type Keep = <Part extends { close(): Promise<void> }>(part: Part | Promise<Part>) => Promise<Part>;

/** What tests hand in; everything else comes from the configuration. */
export interface KernelOverrides {
  readonly log: Log;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Passes the time of a drain. */
  readonly wait?: (ms: number) => Promise<void>;
  /** The store is lost and will not come back in this process. */
  readonly onStoreLost?: (reason: Error) => void;
}

/** `isServer`: an embedded store is taken for this process, and metrics are served. */
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

/** Loaded where it is wanted only: it reads the process all the time. */
async function openMetrics(host: string, port: number): Promise<Metrics> {
  const module = await import('./http/metrics.ts');
  return module.openMetrics(host, port);
}

/** One for everything in this process that deletes what is old. */
function openAgeGuard(database: Database, clock: Clock, log: Pick<Log, 'warn'>): AgeGuard {
  return createAgeGuard(database, clock, (aheadMs) => {
    const days = Math.round(aheadMs / 86_400_000);
    log.warn(
      `the clock is ${days} days past the last use of this store: what is old is deleted in an hour; set the clock if it is wrong`,
    );
  });
}
