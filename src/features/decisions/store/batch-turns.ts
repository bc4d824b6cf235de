import { sql, type Kysely, type Selection } from 'kysely';

import { changesOne } from '../../../kernel/store/changed-rows.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { storeNow, storeOf } from '../../../kernel/store/store.ts';
import { createUsage, type UsageRow } from '../../accounts/feature.ts';
import { batchColumns, openStatuses, type BatchRow } from './batch-row.ts';
import type { Piece } from './batches.ts';

const inputColumns = ['first_line as firstLine', 'lines', 'done', 'content', 'starts'] as const;
type InputRow = Readonly<Selection<Schema, 'decision_batch_inputs', (typeof inputColumns)[number]>>;

/** A piece of a batch that one owner answers next. */
export interface Turn {
  readonly batch: BatchRow;
  readonly input: InputRow;
}

interface Lease {
  readonly owner: string;
  readonly leaseMs: number;
}

/** What a turn came to. */
export interface TurnResult {
  /** From the first line that was not done. */
  readonly piece: Piece;
  readonly answered: number;
  readonly failed: number;
  /** A row of the ledger for each row that was answered. */
  readonly usage: readonly UsageRow[];
  readonly nowMs: number;
  /** When the batch is deleted, should this be its end. */
  readonly expiresAtMs: number;
  /** Starts that the rest of the piece goes on with. */
  readonly startsLeft: number;
}

/** The batch is over, or another owner has the piece. */
class Lost extends Error {}

export type BatchTurns = ReturnType<typeof createBatchTurns>;

/**
 * Turns of those who answer. Every transaction takes the row of the batch first, so none waits for another in a circle.
 * Leases are measured by the clock of the store.
 */
export function createBatchTurns(db: Kysely<Schema>) {
  return { ...claimSide(db), ...leaseSide(db) };
}

const fromNow = (db: Kysely<Schema>, ms: number) => sql<number>`${storeNow(db)} + ${Math.ceil(ms)}`;

function claimSide(db: Kysely<Schema>) {
  return {
    /**
     * The first free piece of the account that was served longest ago, but of those that are passed over; null where
     * nothing is to be done.
     */
    claim: (
      { owner, leaseMs }: Lease,
      nowMs: number,
      passedOver: readonly string[] = [],
    ): Promise<Turn | null> =>
      db.transaction().execute(async (transaction) => {
        const next = await selectNext(transaction, passedOver);
        if (next === undefined) return null;
        const batch = await transaction
          .updateTable('decision_batches')
          .set({
            status: 'running',
            served_at_ms: storeNow(db),
            started_at_ms: sql<number>`coalesce(started_at_ms, ${nowMs})`,
          })
          .where('id', '=', next.id)
          .where('status', 'in', openStatuses)
          .returning(batchColumns)
          .executeTakeFirst();
        if (batch === undefined) return null;
        const input = await transaction
          .updateTable('decision_batch_inputs')
          .set({ lease_owner: owner, lease_until_ms: fromNow(db, leaseMs), starts: sql<number>`starts + 1` })
          .where('batch_id', '=', batch.id)
          .where(sql<boolean>`first_line = (${firstFree(transaction, batch.id)})`)
          .returning(inputColumns)
          .executeTakeFirst();
        return input === undefined ? null : { batch, input };
      }),

    /** Results, ledger rows and counts: all, or none where the piece is no longer the owner's. */
    async store({ batch, input }: Turn, owner: string, result: TurnResult): Promise<boolean> {
      try {
        await db.transaction().execute((transaction) => keep(transaction, { batch, input }, owner, result));
        return true;
      } catch (error) {
        if (error instanceof Lost) return false;
        throw error;
      }
    },
  };
}

function leaseSide(db: Kysely<Schema>) {
  return {
    /** Extends a lease. False where the piece is no longer the owner's. */
    extend: ({ batch, input }: Turn, { owner, leaseMs }: Lease): Promise<boolean> =>
      changesOne(
        db
          .updateTable('decision_batch_inputs')
          .set({ lease_until_ms: fromNow(db, leaseMs) })
          .where('batch_id', '=', batch.id)
          .where('first_line', '=', input.firstLine)
          .where('lease_owner', '=', owner),
      ),

    /** Gives a piece back as if it had not been begun; with a wait the whole batch waits. */
    async release(
      { batch, input }: Turn,
      owner: string,
      wait?: { readonly ms: number; readonly for: string },
    ) {
      if (wait !== undefined)
        await db
          .updateTable('decision_batches')
          .set({ not_before_ms: fromNow(db, wait.ms), waits: sql<number>`waits + 1`, waits_for: wait.for })
          .where('id', '=', batch.id)
          .where('status', 'in', openStatuses)
          .execute();
      await db
        .updateTable('decision_batch_inputs')
        .set({ lease_owner: null, lease_until_ms: null, starts: sql<number>`starts - 1` })
        .where('batch_id', '=', batch.id)
        .where('first_line', '=', input.firstLine)
        .where('lease_owner', '=', owner)
        .execute();
    },

    /**
     * Leases of others end now, and so do uploads that began before `openedAtMs`, when this process was opened: those since
     * are its own. For a process that knows that it is alone.
     */
    async abandonOthers(owner: string, openedAtMs: number): Promise<void> {
      await db
        .updateTable('decision_batch_inputs')
        .set({ lease_owner: null, lease_until_ms: null })
        .where('lease_owner', '!=', owner)
        .execute();
      await db
        .updateTable('decision_batches')
        .set({ not_before_ms: 0 })
        .where('status', '=', 'receiving')
        .where('created_at_ms', '<', openedAtMs)
        .execute();
    },
  };
}

function isFree(db: Kysely<Schema>) {
  return sql<boolean>`(input.lease_until_ms is null or input.lease_until_ms < ${storeNow(db)})`;
}

function selectNext(
  db: Kysely<Schema>,
  passedOver: readonly string[],
): Promise<{ readonly id: string } | undefined> {
  return db
    .selectFrom('decision_batches as batch')
    .select('batch.id')
    .where('batch.status', 'in', openStatuses)
    .$if(passedOver.length > 0, (query) => query.where('batch.account_id', 'not in', passedOver))
    .where(sql<boolean>`coalesce(batch.not_before_ms, 0) <= ${storeNow(db)}`)
    .where(
      sql<boolean>`exists (select 1 from decision_batch_inputs as input
        where input.batch_id = batch.id and ${isFree(db)})`,
    )
    .orderBy(
      sql`(select max(other.served_at_ms) from decision_batches as other
        where other.account_id = batch.account_id and other.status in ('queued', 'running'))`,
    )
    .orderBy('batch.ordinal')
    .limit(1)
    .executeTakeFirst();
}

/** On PostgreSQL a piece that is being stored at this moment is passed over instead of waited for. */
function firstFree(db: Kysely<Schema>, id: string) {
  const lock = storeOf(db) === 'postgres' ? sql`for update skip locked` : sql``;
  return sql<number>`select input.first_line from decision_batch_inputs as input
    where input.batch_id = ${id} and ${isFree(db)} order by input.first_line limit 1 ${lock}`;
}

async function keep(
  transaction: Kysely<Schema>,
  { batch, input }: Turn,
  owner: string,
  { piece, answered, failed, usage, nowMs, expiresAtMs, startsLeft }: TurnResult,
): Promise<void> {
  const isLast = sql<boolean>`answered + failed + ${answered + failed} = rows`;
  const tokens = (of: 'inputTokens' | 'outputTokens') => usage.reduce((sum, row) => sum + row[of], 0);
  const isOpen = await changesOne(
    transaction
      .updateTable('decision_batches')
      .set({
        answered: sql<number>`answered + ${answered}`,
        failed: sql<number>`failed + ${failed}`,
        input_tokens: sql<number>`input_tokens + ${tokens('inputTokens')}`,
        output_tokens: sql<number>`output_tokens + ${tokens('outputTokens')}`,
        waits: 0,
        waits_for: null,
        status: sql<'completed'>`case when ${isLast} then 'completed' else status end`,
        ended_at_ms: sql<number>`case when ${isLast} then ${nowMs} else ended_at_ms end`,
        expires_at_ms: sql<number>`case when ${isLast} then ${expiresAtMs} else expires_at_ms end`,
      })
      .where('id', '=', batch.id)
      .where('status', 'in', openStatuses),
  );
  const done = input.done + piece.lines;
  const inputs = { batch_id: batch.id, first_line: input.firstLine, lease_owner: owner };
  const isOurs =
    isOpen &&
    (await changesOne(
      done === input.lines
        ? transaction.deleteFrom('decision_batch_inputs').where((eb) => eb.and(inputs))
        : transaction
            .updateTable('decision_batch_inputs')
            .set({ done, starts: startsLeft, lease_owner: null, lease_until_ms: null })
            .where((eb) => eb.and(inputs)),
    ));
  if (!isOurs) throw new Lost();
  const { firstLine, lines, content } = piece;
  await transaction
    .insertInto('decision_batch_results')
    .values({ batch_id: batch.id, first_line: firstLine, lines, content })
    .execute();
  if (usage.length > 0) await createUsage(transaction).insertBatch(usage);
}
