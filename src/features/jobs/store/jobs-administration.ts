import { sql, type Kysely } from 'kysely';

import { headColumns, noLease, notBefore, toHead, type JobHead, type JobStatus } from './jobs.ts';
import type { Schema } from '../../../kernel/store/schema.ts';

interface JobFilter {
  readonly accountId?: string;
  readonly status?: JobStatus;
  readonly beforeOrdinal: number | null;
  readonly limit: number;
}

interface OneJob {
  readonly id: string;
  /** Of any account where absent. */
  readonly accountId?: string;
  readonly nowMs: number;
}

/** What people do with jobs. */
export interface JobAdministration {
  /** Newest first, from before the ordinal. */
  list(filter: JobFilter): Promise<readonly JobHead[]>;
  find(job: Omit<OneJob, 'nowMs'>): Promise<JobHead | undefined>;
  /** Queues a job that failed once more, as if it were new. False for one that did not fail. */
  retry(job: OneJob): Promise<boolean>;
  /** Fails a job that is not over. A worker that has it loses its lease, and its result is refused. */
  cancel(job: OneJob, errorMessage: string): Promise<boolean>;
}

export function createJobAdministration(db: Kysely<Schema>): JobAdministration {
  return {
    async list({ accountId, status, beforeOrdinal, limit }) {
      let query = db.selectFrom('jobs').select(headColumns);
      if (accountId !== undefined) query = query.where('account_id', '=', accountId);
      if (status !== undefined) query = query.where('status', '=', status);
      if (beforeOrdinal !== null) query = query.where('ordinal', '<', beforeOrdinal);
      const rows = await query.orderBy('ordinal', 'desc').limit(limit).execute();
      return rows.map((row) => toHead(row));
    },

    async find({ id, accountId }) {
      let query = db.selectFrom('jobs').select(headColumns).where('id', '=', id);
      if (accountId !== undefined) query = query.where('account_id', '=', accountId);
      const row = await query.executeTakeFirst();
      return row && toHead(row);
    },

    async retry({ id, accountId, nowMs }) {
      let query = db
        .updateTable('jobs')
        .set({
          status: 'CREATED',
          error_message: null,
          started_at_ms: null,
          ended_at_ms: null,
          starts: 0,
          waits: 0,
          queued_at_ms: sql<number>`case when created_at_ms > ${nowMs} then created_at_ms else ${nowMs} end`,
          ...noLease,
        })
        .where('id', '=', id)
        .where('status', '=', 'FAILED');
      if (accountId !== undefined) query = query.where('account_id', '=', accountId);
      return (await query.executeTakeFirstOrThrow()).numUpdatedRows === 1n;
    },

    async cancel({ id, accountId, nowMs }, errorMessage) {
      let query = db
        .updateTable('jobs')
        .set({ status: 'FAILED', error_message: errorMessage, ended_at_ms: notBefore(nowMs), ...noLease })
        .where('id', '=', id)
        .where('status', 'in', ['CREATED', 'IN_PROGRESS']);
      if (accountId !== undefined) query = query.where('account_id', '=', accountId);
      return (await query.executeTakeFirstOrThrow()).numUpdatedRows === 1n;
    },
  };
}
