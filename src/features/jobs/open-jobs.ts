import type { Config } from '../../kernel/config.ts';
import { createJobQueue } from './queue.ts';
import { openWorkers, type JobBackends, type WorkerOptions } from './worker.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { Ids } from '../../kernel/kit/ids.ts';
import type { Log } from '../../kernel/kit/log.ts';
import type { AgeGuard } from '../../kernel/store/age-guard.ts';
import type { Database } from '../../kernel/store/database.ts';
import { createJobs } from './store/jobs.ts';
import { openPubSub } from '../../kernel/store/pub-sub.ts';
import { ensureSecret } from '../../kernel/store/secrets.ts';

interface JobsDependencies {
  readonly database: Database;
  readonly run: WorkerOptions['run'];
  readonly ageGuard: AgeGuard;
  readonly backends: JobBackends;
  readonly log: Pick<Log, 'error'>;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Waits of jobs for their backends, in place of the usual ones. */
  readonly waits?: WorkerOptions['waits'];
}

/** Wakes the workers of every process; without it they find a job within a second. */
const topic = 'jobs';
const dayMs = 86_400_000;

/** The queue and the workers of this process. Others on the same store are woken and wake these. */
export async function openJobs(
  { async: settings }: Pick<Config, 'async'>,
  { database, run, ageGuard, backends, log, clock, ids, waits }: JobsDependencies,
) {
  const onError = (error: unknown) => log.error({ err: error }, 'jobs');
  const jobs = createJobs(database.db, database.reader);
  const kept = { ...jobs, forget: ageGuard((beforeMs: number) => jobs.forget(beforeMs)) };
  const retentionMs = settings.retentionDays * dayMs;
  const secret = await ensureSecret(database.db, 'jobs', ids.secret(32));
  const pubSub = await openPubSub(database);
  const workers = openWorkers({
    jobs: kept,
    run,
    workers: settings.workers,
    owner: ids.uuid(),
    clock,
    retentionMs,
    backends,
    giveUpAfterMs: settings.giveUpAfterS * 1_000,
    random: Math.random,
    ...(waits && { waits }),
    isAlone: database.store === 'sqlite',
    onError,
  });
  const unsubscribe = pubSub.subscribe(topic, () => workers.wake());
  const queue = createJobQueue({
    jobs,
    secret,
    retentionMs,
    clock,
    ids,
    wake() {
      workers.wake();
      // On SQLite there is no other process.
      if (database.store === 'postgres') void pubSub.publish(topic, '').catch(onError);
    },
  });
  return {
    queue,
    async close() {
      unsubscribe();
      await workers.close();
      await pubSub.close();
    },
  };
}
