import { Fault } from '../../kernel/faults.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { JobAdministration } from './store/jobs-administration.ts';
import type { JobHead } from './store/jobs.ts';
import { readPage, type Page, type PageRequest } from '../accounts/feature.ts';

/** A job without its request and its answer. */
export type JobRecord = Omit<JobHead, 'ordinal' | 'queuedAtMs'>;

interface JobSelection {
  readonly accountId?: string | undefined;
  readonly status?: JobHead['status'] | undefined;
}

export type JobRecords = ReturnType<typeof createJobRecords>;

/** With an account, jobs of others are unknown. Every method rejects with a Fault that says what is wrong. */
export function createJobRecords(jobs: JobAdministration, clock: Clock) {
  const find = async (id: string, accountId: string | undefined): Promise<JobRecord> => {
    const job = await jobs.find({ id, accountId });
    if (job === undefined) throw new Fault('not_found', 'job not found');
    return toRecord(job);
  };
  return {
    /** Newest first. */
    async list(selection: JobSelection, page: PageRequest): Promise<Page<JobRecord>> {
      const { items, next } = await readPage(page, { ordinal: 'number' }, ({ after, limit }) =>
        jobs.list({ ...selection, beforeOrdinal: after?.ordinal ?? null, limit }),
      );
      return { items: items.map(toRecord), next };
    },
    /** Queues a job that failed once more; a worker takes it within a second. Fault `conflict` for any other. */
    async retry(id: string, accountId?: string): Promise<JobRecord> {
      const isQueued = await jobs.retry({ id, accountId, nowMs: clock.now() });
      const job = await find(id, accountId);
      if (!isQueued) throw new Fault('conflict', 'only a job that failed can be queued once more');
      return job;
    },
    /** Fails a job that is not over, also one that a worker has. Fault `conflict` for one that is. */
    async cancel(id: string, accountId?: string): Promise<JobRecord> {
      const one = { id, accountId, nowMs: clock.now() };
      const isCancelled = await jobs.cancel(one, 'The job was cancelled.');
      const job = await find(id, accountId);
      if (!isCancelled) throw new Fault('conflict', 'the job is over');
      return job;
    },
  };
}

function toRecord({ ordinal: _ordinal, queuedAtMs: _queuedAtMs, ...record }: JobHead): JobRecord {
  return record;
}
