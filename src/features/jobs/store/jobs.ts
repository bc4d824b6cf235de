import { sql, type Expression, type Kysely, type Selection } from 'kysely';

import { selectNext, type ClaimBounds } from './jobs-claim.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { storeNow } from '../../../kernel/store/store.ts';
import { createUsage, type UsageRow } from '../../accounts/feature.ts';
import { changedRows, changesOne } from '../../../kernel/store/changed-rows.ts';

/** `queuedAtMs` is the creation, or when the job was queued once more; `waits` counts its waits for its backend. */
export const headColumns = [
  'ordinal',
  'id',
  'account_id as accountId',
  'key_id as keyId',
  'model',
  'status',
  'error_message as errorMessage',
  'created_at_ms as createdAtMs',
  'started_at_ms as startedAtMs',
  'ended_at_ms as endedAtMs',
  sql<number>`coalesce(queued_at_ms, created_at_ms)`.as('queuedAtMs'),
  'starts',
  'waits',
] as const;
const columns = [
  ...headColumns,
  'request',
  'request_hash as requestHash',
  'idempotency_key as idempotencyKey',
  'response',
] as const;

export type JobHead = Readonly<Selection<Schema, 'jobs', (typeof headColumns)[number]>>;
/** `request` and `response` are JSON text; `requestHash` is the same for requests that mean the same. */
export type JobRow = Readonly<Selection<Schema, 'jobs', (typeof columns)[number]>>;

export type NewJob = Pick<
  JobRow,
  'id' | 'accountId' | 'keyId' | 'model' | 'request' | 'requestHash' | 'idempotencyKey' | 'createdAtMs'
>;

interface Lease {
  readonly owner: string;
  readonly leaseMs: number;
}

export interface ClaimOptions extends Lease, ClaimBounds {
  readonly nowMs: number;
}

export interface JobEnd {
  readonly id: string;
  readonly owner: string;
  readonly nowMs: number;
}

export interface JobWait {
  readonly waitMs: number;
  /** Whether the try counts as a start, of which a job has only so many. */
  readonly countsStart: boolean;
}

interface JobsQuery {
  readonly accountId: string;
  readonly createdAfterMs: number;
  readonly beforeOrdinal: number | null;
  readonly limit: number;
}

/** Jobs as the store keeps them. */
export type Jobs = ReturnType<typeof createJobs>;

/** `reader` is for lists; see `Database`. */
export function createJobs(db: Kysely<Schema>, reader = db) {
  return { ...accountSide(db, reader), ...leaseSide(db), ...endSide(db) };
}

function accountSide(db: Kysely<Schema>, reader: Kysely<Schema>) {
  return {
    /** The job, or the one that has this account's idempotency key; one older than `expiredBeforeMs` is replaced. */
    create: (job: NewJob, expiredBeforeMs: number): ReturnType<typeof insertOrFind> =>
      db.isTransaction
        ? insertOrFind(db, job, expiredBeforeMs)
        : db.transaction().execute((transaction) => insertOrFind(transaction, job, expiredBeforeMs)),

    find: (accountId: string, id: string, createdAfterMs: number): Promise<JobRow | undefined> =>
      db
        .selectFrom('jobs')
        .select(columns)
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .where('created_at_ms', '>', createdAfterMs)
        .executeTakeFirst(),

    /** Newest first, from before the ordinal. */
    list({ accountId, createdAfterMs, beforeOrdinal, limit }: JobsQuery): Promise<JobHead[]> {
      let query = reader
        .selectFrom('jobs')
        .select(headColumns)
        .where('account_id', '=', accountId)
        .where('created_at_ms', '>', createdAfterMs);
      if (beforeOrdinal !== null) query = query.where('ordinal', '<', beforeOrdinal);
      return query.orderBy('ordinal', 'desc').limit(limit).execute();
    },

    forget: (createdBeforeMs: number): Promise<number> =>
      changedRows(db.deleteFrom('jobs').where('created_at_ms', '<=', createdBeforeMs)),
  };
}

function leaseSide(db: Kysely<Schema>) {
  const leaseUntil = (ms: number) => sql<number>`${storeNow(db)} + ${ms}`;
  return {
    /**
     * Gives free jobs to the owner, in one statement: new ones, and those whose lease ran out. Accounts take turns,
     * each with its oldest. Two that claim at once never get the same job. Leases are measured by the clock of the
     * store.
     */
    async claim({ leaseMs, nowMs, ...bounds }: ClaimOptions): Promise<JobRow[]> {
      const rows = await db
        .updateTable('jobs')
        .set({
          status: 'IN_PROGRESS',
          started_at_ms: sql<number>`coalesce(started_at_ms, ${notBefore(nowMs)})`,
          starts: sql<number>`starts + 1`,
          lease_owner: bounds.owner,
          lease_until_ms: leaseUntil(leaseMs),
        })
        .where(sql<boolean>`ordinal in (${selectNext(db, bounds, storeNow(db))})`)
        .returning(columns)
        .execute();
      return rows.toSorted((a, b) => a.ordinal - b.ordinal);
    },

    /** Extends leases that are still the owner's; returns the ids for which that holds. */
    async extend(ids: readonly string[], { owner, leaseMs }: Lease): Promise<readonly string[]> {
      if (ids.length === 0) return [];
      const set = { lease_until_ms: leaseUntil(leaseMs) };
      const rows = await updateOwned(db, ids, owner).set(set).returning('id').execute();
      return rows.map(({ id }) => id);
    },

    /** Leases of others end now; a start stays counted. For a process that knows that it is alone. */
    async abandonOthers(owner: string): Promise<void> {
      await db
        .updateTable('jobs')
        .set(noLease)
        .where('status', '=', 'IN_PROGRESS')
        .where('lease_owner', '!=', owner)
        .execute();
    },

    /** Gives a job back as if it had not been begun, for a worker that stops. */
    async release(ids: readonly string[], owner: string): Promise<void> {
      if (ids.length === 0) return;
      const set = { ...noLease, starts: sql<number>`starts - 1` };
      await updateOwned(db, ids, owner).set(set).execute();
    },

    /** Gives a job back to wait for its backend: it is not claimed before the wait is over. */
    postpone: ({ id, owner }: JobEnd, { waitMs, countsStart }: JobWait): Promise<boolean> =>
      changesOne(
        updateOwned(db, [id], owner).set({
          lease_owner: null,
          lease_until_ms: leaseUntil(Math.ceil(waitMs)),
          waits: sql<number>`waits + 1`,
          starts: sql<number>`starts - ${countsStart ? 0 : 1}`,
        }),
      ),
  };
}

function endSide(db: Kysely<Schema>) {
  return {
    /** Result and ledger row, both or neither. False when the job is no longer the owner's. */
    complete: ({ id, owner, nowMs }: JobEnd, response: string, usage: UsageRow): Promise<boolean> =>
      db.transaction().execute(async (transaction) => {
        const set = { status: 'COMPLETED', response, ended_at_ms: notBefore(nowMs), ...noLease } as const;
        const isOurs = await changesOne(updateOwned(transaction, [id], owner).set(set));
        if (isOurs) await createUsage(transaction).insertBatch([usage]);
        return isOurs;
      }),

    fail: ({ id, owner, nowMs }: JobEnd, errorMessage: string): Promise<boolean> =>
      changesOne(updateOwned(db, [id], owner).set(failed(errorMessage, nowMs))),

    /** Fails free jobs of these models that were queued before a time. Returns how many. */
    giveUp(
      models: readonly string[],
      queuedBeforeMs: number,
      nowMs: number,
      errorMessage: string,
    ): Promise<number> {
      const givenUp = db
        .updateTable('jobs')
        .set(failed(errorMessage, nowMs))
        .where('status', 'in', openStatuses)
        .where('model', 'in', models)
        .where(sql<boolean>`coalesce(queued_at_ms, created_at_ms) <= ${queuedBeforeMs}`)
        .where((eb) => eb.or([eb('lease_owner', 'is', null), eb('lease_until_ms', '<', storeNow(db))]));
      return changedRows(givenUp);
    },

    /** Fails free jobs that were begun too often. Returns how many. */
    failExhausted(startsMax: number, nowMs: number, errorMessage: string): Promise<number> {
      const exhausted = db
        .updateTable('jobs')
        .set(failed(errorMessage, nowMs))
        .where('status', '=', 'IN_PROGRESS')
        .where('starts', '>=', startsMax)
        .where((eb) => eb.or([eb('lease_until_ms', 'is', null), eb('lease_until_ms', '<', storeNow(db))]));
      return changedRows(exhausted);
    },
  };
}

export const noLease = { lease_owner: null, lease_until_ms: null } as const;
export const openStatuses = ['CREATED', 'IN_PROGRESS'] as const;

export function failed(errorMessage: string, nowMs: number) {
  return {
    status: 'FAILED',
    error_message: errorMessage,
    ended_at_ms: notBefore(nowMs),
    ...noLease,
  } as const;
}

function updateOwned(db: Kysely<Schema>, ids: readonly string[], owner: string) {
  return db
    .updateTable('jobs')
    .where('id', 'in', ids)
    .where('lease_owner', '=', owner)
    .where('status', '=', 'IN_PROGRESS');
}

async function insertOrFind(
  db: Kysely<Schema>,
  job: NewJob,
  expiredBeforeMs: number,
): Promise<{ readonly isNew: boolean; readonly job: JobRow }> {
  if (job.idempotencyKey !== null) {
    await db
      .deleteFrom('jobs')
      .where('account_id', '=', job.accountId)
      .where('idempotency_key', '=', job.idempotencyKey)
      .where('created_at_ms', '<=', expiredBeforeMs)
      .execute();
  }
  const inserted = await db
    .insertInto('jobs')
    .values({
      id: job.id,
      account_id: job.accountId,
      key_id: job.keyId,
      model: job.model,
      status: 'CREATED',
      request: job.request,
      request_hash: job.requestHash,
      idempotency_key: job.idempotencyKey,
      created_at_ms: job.createdAtMs,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'idempotency_key']).doNothing())
    .returning(columns)
    .executeTakeFirst();
  if (inserted !== undefined) return { isNew: true, job: inserted };
  const known = await db
    .selectFrom('jobs')
    .select(columns)
    .where('account_id', '=', job.accountId)
    .where('idempotency_key', '=', job.idempotencyKey)
    .executeTakeFirstOrThrow();
  return { isNew: false, job: known };
}

/** A clock that was set back must not make a job end before it began. */
function notBefore(nowMs: number): Expression<number> {
  const earliest = sql`coalesce(started_at_ms, created_at_ms)`;
  return sql<number>`case when ${earliest} > ${nowMs} then ${earliest} else ${nowMs} end`;
}
