import { sql, type Kysely } from 'kysely';

import { failed, headColumns, noLease, openStatuses, type JobHead } from './jobs.ts';
import { changesOne } from '../../../kernel/store/changed-rows.ts';
import type { Schema } from '../../../kernel/store/schema.ts';

interface JobFilter {
  readonly accountId?: string | undefined;
  readonly status?: JobHead['status'] | undefined;
  readonly beforeOrdinal: number | null;
  readonly limit: number;
}

interface OneJob {
  readonly id: string;
  /** Of any account where absent. */
  readonly accountId?: string | undefined;
  readonly nowMs: number;
}

/** What people do with jobs. */
export type JobAdministration = ReturnType<typeof createJobAdministration>;

export function createJobAdministration(db: Kysely<Schema>) {
  const update = ({ id, accountId }: OneJob) => {
    const query = db.updateTable('jobs').where('id', '=', id);
    return accountId === undefined ? query : query.where('account_id', '=', accountId);
  };
  return {
    /** Newest first, from before the ordinal. */
    list({ accountId, status, beforeOrdinal, limit }: JobFilter): Promise<JobHead[]> {
      let query = db.selectFrom('jobs').select(headColumns);
      if (accountId !== undefined) query = query.where('account_id', '=', accountId);
      if (status !== undefined) query = query.where('status', '=', status);
      if (beforeOrdinal !== null) query = query.where('ordinal', '<', beforeOrdinal);
      return query.orderBy('ordinal', 'desc').limit(limit).execute();
    },

    find({ id, accountId }: Omit<OneJob, 'nowMs'>): Promise<JobHead | undefined> {
      let query = db.selectFrom('jobs').select(headColumns).where('id', '=', id);
      if (accountId !== undefined) query = query.where('account_id', '=', accountId);
      return query.executeTakeFirst();
    },

    /** Queues a job that failed once more, as if it were new. False for one that did not fail. */
    retry(job: OneJob): Promise<boolean> {
      const { nowMs } = job;
      const set = {
        status: 'CREATED',
        error_message: null,
        started_at_ms: null,
        ended_at_ms: null,
        starts: 0,
        waits: 0,
        queued_at_ms: sql<number>`case when created_at_ms > ${nowMs} then created_at_ms else ${nowMs} end`,
        ...noLease,
      } as const;
      return changesOne(update(job).set(set).where('status', '=', 'FAILED'));
    },

    /** Fails a job that is not over. A worker that has it loses its lease, and its result is refused. */
    cancel: (job: OneJob, errorMessage: string): Promise<boolean> =>
      changesOne(update(job).set(failed(errorMessage, job.nowMs)).where('status', 'in', openStatuses)),
  };
}
