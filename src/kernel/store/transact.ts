import { setTimeout as pause } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';

import { isRefusal } from './errors.ts';

const attemptsMax = 30;
const pauseMaxMs = 50;

/**
 * Runs `body` as if nobody else wrote meanwhile, and repeats it when another transaction came in between, so it
 * may run several times and must do nothing but its statements. SQLite runs transactions one by one anyway.
 * In a transaction already open it is part of that one.
 */
export async function transact<T, Result>(
  db: Kysely<T>,
  body: (transaction: Kysely<T> | Transaction<T>) => Promise<Result>,
): Promise<Result> {
  if (db.isTransaction) return body(db);
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().setIsolationLevel('serializable').execute(body);
    } catch (error) {
      if (!isRefusal(error, 'conflict') || attempt >= attemptsMax) throw error;
      // Those that collided should not meet again at once.
      await pause(Math.random() * Math.min(pauseMaxMs, 2 ** attempt));
    }
  }
}
