import { Fault } from '../../kernel/faults.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { JobAdministration } from './store/jobs-administration.ts';
import type { JobHead } from './store/jobs.ts';
import { readPage, type Page, type PageRequest } from '../accounts/feature.ts';

/** A job without its request and its answer. */
export type JobRecord = Pick<
  JobHead,
  | 'id'
  | 'accountId'
  | 'keyId'
  | 'model'
  | 'status'
  | 'errorMessage'
  | 'createdAtMs'
  | 'startedAtMs'
  | 'endedAtMs'
  | 'starts'
  | 'waits'
>;

interface JobSelection {
  readonly accountId?: string | undefined;
  readonly status?: JobHead['status'] | undefined;
}

/** With an account, jobs of others are unknown. Every method rejects with a Fault that says what is wrong. */
export interface JobRecords {
  /** Newest first. */
  list(selection: JobSelection, page: PageRequest): Promise<Page<JobRecord>>;
  /** Queues a job that failed once more; a worker takes it within a second. Fault `conflict` for any other. */
  retry(id: string, accountId?: string): Promise<JobRecord>;
  /** Fails a job that is not over, also one that a worker has. Fault `conflict` for one that is. */
  cancel(id: string, accountId?: string): Promise<JobRecord>;
}

export function createJobRecords(jobs: JobAdministration, clock: Clock): JobRecords {
  const named = (id: string, accountId: string | undefined) => ({
    id,
    ...(accountId !== undefined && { accountId }),
  });
  const find = async (id: string, accountId: string | undefined): Promise<JobRecord> => {
    const job = await jobs.find(named(id, accountId));
    if (job === undefined) throw new Fault('not_found', 'job not found');
    return toRecord(job);
  };
  return {
    async list({ accountId, status }, page) {
      const filter = { ...(accountId !== undefined && { accountId }), ...(status && { status }) };
      const { items, next } = await readPage(
        page,
        ['number'],
        ({ ordinal }: JobHead) => [ordinal],
        (after, limit) =>
          jobs.list({ ...filter, beforeOrdinal: after === undefined ? null : Number(after[0]), limit }),
      );
      return { items: items.map(toRecord), next };
    },
    async retry(id, accountId) {
      const isQueued = await jobs.retry({ ...named(id, accountId), nowMs: clock.now() });
      const job = await find(id, accountId);
      if (!isQueued) throw new Fault('conflict', 'only a job that failed can be queued once more');
      return job;
    },
    async cancel(id, accountId) {
      const one = { ...named(id, accountId), nowMs: clock.now() };
      const isCancelled = await jobs.cancel(one, 'The job was cancelled.');
      const job = await find(id, accountId);
      if (!isCancelled) throw new Fault('conflict', 'the job is over');
      return job;
    },
  };
}

function toRecord(job: JobHead): JobRecord {
  const { ordinal: _ordinal, queuedAtMs: _queuedAtMs, ...record } = job;
  return record;
}
