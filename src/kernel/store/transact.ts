import { setTimeout as pause } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';

import { isRefusal } from './errors.ts';

const attemptsMax = 30;
const pauseMaxMs = 50;

/**
 * Runs `body` in a serializable transaction, or in the open one, and repeats it after a conflict; so it must do
 * nothing but its statements. SQLite runs transactions one by one.
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
      // Keeps colliding transactions from colliding again.
      await pause(Math.random() * Math.min(pauseMaxMs, 2 ** attempt));
    }
  }
}
