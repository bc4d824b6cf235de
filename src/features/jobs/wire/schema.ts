import { Type, type Static } from 'typebox';
import { page } from '../../accounts/feature.ts';
import { orNull, Strict } from '../../../kernel/kit/schema.ts';

const JobStatus = Type.Enum(['CREATED', 'IN_PROGRESS', 'COMPLETED', 'FAILED']);

const Instant = orNull(Type.Integer());

/** A job as administration shows it: without its request and its reply. */
export const AdministeredJob = Strict(
  {
    object: Type.Literal('job'),
    id: Type.String(),
    account_id: Type.String(),
    key_id: Type.String(),
    model: Type.String(),
    status: JobStatus,
    error_message: orNull(Type.String()),
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
);
export type AdministeredJob = Static<typeof AdministeredJob>;

export const InJob = Type.Object({ job_id: Type.String() });
export type InJob = Static<typeof InJob>;

export const JobsQuery = Type.Object({
  account_id: Type.Optional(Type.String({ description: 'Jobs of this account only.' })),
  status: Type.Optional(JobStatus),
  ...page,
});
