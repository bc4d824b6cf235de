import type { Clock } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { createAgeGuard, type AgeGuard } from './age-guard.ts';
import type { Database } from './database.ts';

/** One for everything in this process that deletes what is old. */
export function openAgeGuard(database: Database, clock: Clock, log: Pick<Log, 'warn'>): AgeGuard {
  return createAgeGuard(database, clock, (aheadMs) => {
    const days = Math.round(aheadMs / 86_400_000);
    log.warn(
      `the clock is ${days} days past the last use of this store: what is old is deleted in an hour; set the clock if it is wrong`,
    );
  });
}
