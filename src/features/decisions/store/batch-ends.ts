import type { Kysely } from 'kysely';

import { changesOne } from '../../../kernel/store/changed-rows.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { storeNow } from '../../../kernel/store/store.ts';
import { hiddenStatuses, openStatuses } from './batch-row.ts';

/** Pieces deleted by one statement: no other write waits for long. */
const removedAtOnce = 16;

/** How batches end, and how they go. */
export function createBatchEnds(db: Kysely<Schema>) {
  return { ...accountSide(db), ...timeSide(db), removeWhole: (id: string) => removeWhole(db, id) };
}

function accountSide(db: Kysely<Schema>) {
  return {
    /** Ends an open one; results that are under way are refused from now on. False for one that is over. */
    async cancel(accountId: string, id: string, nowMs: number, expiresAtMs: number): Promise<boolean> {
      const isOurs = await changesOne(
        db
          .updateTable('decision_batches')
          .set({ status: 'cancelled', waits_for: null, ended_at_ms: nowMs, expires_at_ms: expiresAtMs })
          .where('id', '=', id)
          .where('account_id', '=', accountId)
          .where('status', 'in', openStatuses),
      );
      if (isOurs) await remove(db, 'decision_batch_inputs', id);
      return isOurs;
    },

    /** From now on nobody sees it. False where there is none. */
    hide: (accountId: string, id: string): Promise<boolean> =>
      changesOne(
        db
          .updateTable('decision_batches')
          .set({ status: 'removed' })
          .where('id', '=', id)
          .where('account_id', '=', accountId)
          .where('status', 'not in', hiddenStatuses),
      ),
  };
}

function timeSide(db: Kysely<Schema>) {
  return {
    /** Removes what nobody sees any more: what was deleted, and uploads that were broken off. */
    async sweep(): Promise<void> {
      const gone = await db
        .selectFrom('decision_batches')
        .select('id')
        .where((eb) =>
          eb.or([
            eb('status', '=', 'removed'),
            eb.and([eb('status', '=', 'receiving'), eb('not_before_ms', '<', storeNow(db))]),
          ]),
        )
        .execute();
      for (const { id } of gone) {
        await db.updateTable('decision_batches').set({ status: 'removed' }).where('id', '=', id).execute();
        await removeWhole(db, id);
      }
    },

    /** Ends open ones whose time is over, and hides ended ones. Returns how many. */
    async expire(nowMs: number, keptMs: number): Promise<number> {
      const old = await db
        .selectFrom('decision_batches')
        .select(['id', 'status'])
        .where('expires_at_ms', '<=', nowMs)
        .where('status', 'not in', hiddenStatuses)
        .execute();
      const isOpen = (status: string) => openStatuses.some((one) => one === status);
      for (const { id, status } of old) {
        const set = isOpen(status)
          ? ({
              status: 'expired',
              waits_for: null,
              ended_at_ms: nowMs,
              expires_at_ms: nowMs + keptMs,
            } as const)
          : ({ status: 'removed' } as const);
        const one = db.updateTable('decision_batches').set(set).where('id', '=', id);
        await one.where('status', '=', status).execute();
        if (isOpen(status)) await remove(db, 'decision_batch_inputs', id);
      }
      return old.length;
    },
  };
}

async function removeWhole(db: Kysely<Schema>, id: string): Promise<void> {
  await remove(db, 'decision_batch_inputs', id);
  await remove(db, 'decision_batch_results', id);
  await db.deleteFrom('decision_batches').where('id', '=', id).execute();
}

async function remove(
  db: Kysely<Schema>,
  table: 'decision_batch_inputs' | 'decision_batch_results',
  id: string,
): Promise<void> {
  const some = () =>
    db.selectFrom(table).select('first_line').where('batch_id', '=', id).limit(removedAtOnce).execute();
  for (let left = await some(); left.length > 0; left = await some()) {
    const lines = left.map((one) => one.first_line);
    await db.deleteFrom(table).where('batch_id', '=', id).where('first_line', 'in', lines).execute();
  }
}
