import { sql, type Expression, type Kysely, type Selectable } from 'kysely';

import { selectNext, type ClaimBounds } from './jobs-claim.ts';
import type { JobsTable, Schema } from '../../../kernel/store/schema.ts';
import { storeNow } from '../../../kernel/store/store.ts';
import { createUsage, type UsageRow } from '../../accounts/feature.ts';

export type JobStatus = 'CREATED' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED';

export interface JobRow {
  /** Grows with each creation. */
  readonly ordinal: number;
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  /** As it was sent. */
  readonly model: string;
  readonly status: JobStatus;
  /** JSON text. */
  readonly request: string;
  /** The same for requests that mean the same. */
  readonly requestHash: string;
  readonly idempotencyKey: string | null;
  /** JSON text; present exactly when the status is COMPLETED. */
  readonly response: string | null;
  /** Present exactly when the status is FAILED. */
  readonly errorMessage: string | null;
  readonly createdAtMs: number;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  /** When it was queued: at its creation, or when it was queued once more. */
  readonly queuedAtMs: number;
  /** Number of times that a worker began it. */
  readonly starts: number;
  /** Number of times that it went back to wait for its backend. */
  readonly waits: number;
}

export type JobHead = Omit<JobRow, 'request' | 'response' | 'requestHash' | 'idempotencyKey'>;

export type NewJob = Pick<
  JobRow,
  'id' | 'accountId' | 'keyId' | 'model' | 'request' | 'requestHash' | 'idempotencyKey' | 'createdAtMs'
>;

export interface Lease {
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

/** Jobs as the store keeps them. */
export type Jobs = AccountSide & WorkerSide;

interface AccountSide {
  /** The job, or the one that has this account's idempotency key; one older than `expiredBeforeMs` is replaced. */
  create(job: NewJob, expiredBeforeMs: number): Promise<{ readonly isNew: boolean; readonly job: JobRow }>;
  find(accountId: string, id: string, createdAfterMs: number): Promise<JobRow | undefined>;
  /** Newest first, from before the ordinal. */
  list(query: {
    readonly accountId: string;
    readonly createdAfterMs: number;
    readonly beforeOrdinal: number | null;
    readonly limit: number;
  }): Promise<readonly JobHead[]>;
  forget(createdBeforeMs: number): Promise<number>;
}

interface WorkerSide {
  /**
   * Gives free jobs to the owner, in one statement: new ones, and those whose lease ran out. Accounts take
   * turns, each with its oldest. Two that claim at once never get the same job. Leases are measured by the clock of the
   * store.
   */
  claim(options: ClaimOptions): Promise<readonly JobRow[]>;
  /** Extends leases that are still the owner's; returns the ids for which that holds. */
  extend(ids: readonly string[], lease: Lease): Promise<readonly string[]>;
  /** Leases of others end now; a start stays counted. For a process that knows that it is alone. */
  abandonOthers(owner: string): Promise<void>;
  /** Gives a job back as if it had not been begun, for a worker that stops. */
  release(ids: readonly string[], owner: string): Promise<void>;
  /** Result and ledger row, both or neither. False when the job is no longer the owner's. */
  complete(end: JobEnd, response: string, usage: UsageRow): Promise<boolean>;
  fail(end: JobEnd, errorMessage: string): Promise<boolean>;
  /** Gives a job back to wait for its backend: it is not claimed before the wait is over. */
  postpone(end: JobEnd, wait: JobWait): Promise<boolean>;
  /** Fails free jobs of these models that were queued before a time. Returns how many. */
  giveUp(
    models: readonly string[],
    queuedBeforeMs: number,
    nowMs: number,
    errorMessage: string,
  ): Promise<number>;
  /** Fails free jobs that were begun too often. Returns how many. */
  failExhausted(startsMax: number, nowMs: number, errorMessage: string): Promise<number>;
}

export const headColumns = [
  'ordinal',
  'id',
  'account_id',
  'key_id',
  'model',
  'status',
  'error_message',
  'created_at_ms',
  'started_at_ms',
  'ended_at_ms',
  'starts',
  'waits',
  'queued_at_ms',
] as const satisfies readonly (keyof JobsTable)[];

/** `reader` is for lists; see `Database`. */
export function createJobs(db: Kysely<Schema>, reader = db): Jobs {
  return { ...accountSide(db, reader), ...workerSide(db) };
}

function accountSide(db: Kysely<Schema>, reader: Kysely<Schema>): AccountSide {
  return {
    create: (job, expiredBeforeMs) =>
      db.isTransaction
        ? insertOrFind(db, job, expiredBeforeMs)
        : db.transaction().execute((transaction) => insertOrFind(transaction, job, expiredBeforeMs)),

    async find(accountId, id, createdAfterMs) {
      const row = await db
        .selectFrom('jobs')
        .selectAll()
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .where('created_at_ms', '>', createdAfterMs)
        .executeTakeFirst();
      return row && toJob(row);
    },

    async list({ accountId, createdAfterMs, beforeOrdinal, limit }) {
      let query = reader
        .selectFrom('jobs')
        .select(headColumns)
        .where('account_id', '=', accountId)
        .where('created_at_ms', '>', createdAfterMs);
      if (beforeOrdinal !== null) query = query.where('ordinal', '<', beforeOrdinal);
      const rows = await query.orderBy('ordinal', 'desc').limit(limit).execute();
      return rows.map((row) => toHead(row));
    },

    async forget(createdBeforeMs) {
      const { numDeletedRows } = await db
        .deleteFrom('jobs')
        .where('created_at_ms', '<=', createdBeforeMs)
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };
}

function workerSide(db: Kysely<Schema>): WorkerSide {
  return { ...leaseSide(db), ...endSide(db) };
}

type LeaseMethods = 'claim' | 'extend' | 'abandonOthers' | 'release' | 'postpone';

function leaseSide(db: Kysely<Schema>): Pick<WorkerSide, LeaseMethods> {
  return {
    claim: (options) => claimJobs(db, options),

    async extend(ids, { owner, leaseMs }) {
      if (ids.length === 0) return [];
      const rows = await db
        .updateTable('jobs')
        .set({ lease_until_ms: sql<number>`${storeNow(db)} + ${leaseMs}` })
        .where('id', 'in', ids)
        .where('lease_owner', '=', owner)
        .where('status', '=', 'IN_PROGRESS')
        .returning('id')
        .execute();
      return rows.map(({ id }) => id);
    },

    async abandonOthers(owner) {
      await db
        .updateTable('jobs')
        .set(noLease)
        .where('status', '=', 'IN_PROGRESS')
        .where('lease_owner', '!=', owner)
        .execute();
    },

    async release(ids, owner) {
      if (ids.length === 0) return;
      await db
        .updateTable('jobs')
        .set({ lease_owner: null, lease_until_ms: null, starts: sql<number>`starts - 1` })
        .where('id', 'in', ids)
        .where('lease_owner', '=', owner)
        .where('status', '=', 'IN_PROGRESS')
        .execute();
    },

    async postpone({ id, owner }, { waitMs, countsStart }) {
      const { numUpdatedRows } = await db
        .updateTable('jobs')
        .set({
          lease_owner: null,
          lease_until_ms: sql<number>`${storeNow(db)} + ${Math.ceil(waitMs)}`,
          waits: sql<number>`waits + 1`,
          starts: sql<number>`starts - ${countsStart ? 0 : 1}`,
        })
        .where('id', '=', id)
        .where('lease_owner', '=', owner)
        .where('status', '=', 'IN_PROGRESS')
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },
  };
}

function endSide(db: Kysely<Schema>): Omit<WorkerSide, LeaseMethods> {
  return {
    complete: (end, response, usage) =>
      db.transaction().execute(async (transaction) => {
        const isOurs = await finish(transaction, end, { status: 'COMPLETED', response });
        if (isOurs) await createUsage(transaction).insertBatch([usage]);
        return isOurs;
      }),

    fail: (end, errorMessage) => finish(db, end, { status: 'FAILED', error_message: errorMessage }),

    async giveUp(models, queuedBeforeMs, nowMs, errorMessage) {
      const { numUpdatedRows } = await db
        .updateTable('jobs')
        .set({ status: 'FAILED', error_message: errorMessage, ended_at_ms: notBefore(nowMs), ...noLease })
        .where('status', 'in', ['CREATED', 'IN_PROGRESS'])
        .where('model', 'in', models)
        .where(sql<boolean>`coalesce(queued_at_ms, created_at_ms) <= ${queuedBeforeMs}`)
        .where((eb) => eb.or([eb('lease_owner', 'is', null), eb('lease_until_ms', '<', storeNow(db))]))
        .executeTakeFirstOrThrow();
      return Number(numUpdatedRows);
    },

    async failExhausted(startsMax, nowMs, errorMessage) {
      const { numUpdatedRows } = await db
        .updateTable('jobs')
        .set({ status: 'FAILED', error_message: errorMessage, ended_at_ms: notBefore(nowMs), ...noLease })
        .where('status', '=', 'IN_PROGRESS')
        .where('starts', '>=', startsMax)
        .where((eb) => eb.or([eb('lease_until_ms', 'is', null), eb('lease_until_ms', '<', storeNow(db))]))
        .executeTakeFirstOrThrow();
      return Number(numUpdatedRows);
    },
  };
}

export const noLease = { lease_owner: null, lease_until_ms: null } as const;

async function insertOrFind(
  db: Kysely<Schema>,
  job: NewJob,
  expiredBeforeMs: number,
): ReturnType<Jobs['create']> {
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
    .returningAll()
    .executeTakeFirst();
  if (inserted !== undefined) return { isNew: true, job: toJob(inserted) };
  const known = await db
    .selectFrom('jobs')
    .selectAll()
    .where('account_id', '=', job.accountId)
    .where('idempotency_key', '=', job.idempotencyKey)
    .executeTakeFirstOrThrow();
  return { isNew: false, job: toJob(known) };
}

async function claimJobs(
  db: Kysely<Schema>,
  { leaseMs, nowMs, ...bounds }: ClaimOptions,
): Promise<readonly JobRow[]> {
  const rows = await db
    .updateTable('jobs')
    .set({
      status: 'IN_PROGRESS',
      started_at_ms: sql<number>`coalesce(started_at_ms, ${notBefore(nowMs)})`,
      starts: sql<number>`starts + 1`,
      lease_owner: bounds.owner,
      lease_until_ms: sql<number>`${storeNow(db)} + ${leaseMs}`,
    })
    .where(sql<boolean>`ordinal in (${selectNext(db, bounds, storeNow(db))})`)
    .returningAll()
    .execute();
  return rows.map((row) => toJob(row)).toSorted((a, b) => a.ordinal - b.ordinal);
}

async function finish(
  db: Kysely<Schema>,
  { id, owner, nowMs }: JobEnd,
  change: { readonly status: JobStatus; readonly response?: string; readonly error_message?: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('jobs')
    .set({ ...change, ended_at_ms: notBefore(nowMs), ...noLease })
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .where('status', '=', 'IN_PROGRESS')
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** A clock that was set back must not make a job end before it began. */
export function notBefore(nowMs: number): Expression<number> {
  const earliest = sql`coalesce(started_at_ms, created_at_ms)`;
  return sql<number>`case when ${earliest} > ${nowMs} then ${earliest} else ${nowMs} end`;
}

type HeadRow = Pick<Selectable<JobsTable>, (typeof headColumns)[number]>;

export function toHead(row: HeadRow): JobHead {
  return {
    ordinal: row.ordinal,
    id: row.id,
    accountId: row.account_id,
    keyId: row.key_id,
    model: row.model,
    status: row.status,
    errorMessage: row.error_message,
    createdAtMs: row.created_at_ms,
    startedAtMs: row.started_at_ms,
    endedAtMs: row.ended_at_ms,
    queuedAtMs: row.queued_at_ms ?? row.created_at_ms,
    starts: row.starts,
    waits: row.waits,
  };
}

function toJob(row: Selectable<JobsTable>): JobRow {
  return {
    ...toHead(row),
    request: row.request,
    requestHash: row.request_hash,
    idempotencyKey: row.idempotency_key,
    response: row.response,
  };
}
