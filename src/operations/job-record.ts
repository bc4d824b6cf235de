import { Type, type Static } from 'typebox';
import type { JobRecord } from '../jobs/job-records.ts';
import { described } from './described.ts';

export const JobStatus = Type.Enum(['CREATED', 'IN_PROGRESS', 'COMPLETED', 'FAILED']);

const Instant = Type.Union([Type.Integer(), Type.Null()]);

/** A job as administration tells it: without what was asked and answered. */
export const AdministeredJob = Type.Object(
  described(
    {
      object: Type.Literal('job'),
      id: Type.String(),
      account_id: Type.String(),
      key_id: Type.String(),
      model: Type.String(),
      status: JobStatus,
      error_message: Type.Union([Type.String(), Type.Null()]),
      created_at: Type.Integer(),
      started_at: Instant,
      ended_at: Instant,
      starts: Type.Integer(),
      waits: Type.Integer(),
    },
    {
      created_at: 'Unix seconds, as are the others.',
      starts: 'How often a worker began it.',
      waits: 'How often it went back to wait for its backend.',
    },
  ),
  { additionalProperties: false },
);
export type AdministeredJob = Static<typeof AdministeredJob>;

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
