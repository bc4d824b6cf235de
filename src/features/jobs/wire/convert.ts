import type { JobRecord } from '../job-records.ts';
import type { AdministeredJob } from './schema.ts';

export function toAdministeredJob(job: JobRecord): AdministeredJob {
  return {
    object: 'job',
    id: job.id,
    account_id: job.accountId,
    key_id: job.keyId,
    model: job.model,
    status: job.status,
    error_message: job.errorMessage,
    created_at: toSeconds(job.createdAtMs),
    started_at: job.startedAtMs === null ? null : toSeconds(job.startedAtMs),
    ended_at: job.endedAtMs === null ? null : toSeconds(job.endedAtMs),
    starts: job.starts,
    waits: job.waits,
  };
}

const toSeconds = (ms: number): number => Math.floor(ms / 1_000);
