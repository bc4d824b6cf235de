import { Fault } from '../../../../kernel/faults.ts';
import type { Json, JsonObject } from '../../../../kernel/kit/json.ts';
import type { JobPage, JobQueue } from '../../../jobs/feature.ts';
import type { ChatResponse } from '../chat-response.ts';
import type { Job, JobSummary } from './schema.ts';

type JobHead = JobPage['jobs'][number];
type JobRow = Awaited<ReturnType<JobQueue['create']>>;

export function toSummary({ id, model, status, createdAtMs, startedAtMs, endedAtMs }: JobHead): JobSummary {
  return {
    id,
    model,
    status,
    created_at: toSeconds(createdAtMs),
    started_at: startedAtMs === null ? null : toSeconds(startedAtMs),
    completed_at: status === 'COMPLETED' && endedAtMs !== null ? toSeconds(endedAtMs) : null,
    failed_at: status === 'FAILED' && endedAtMs !== null ? toSeconds(endedAtMs) : null,
  };
}

export function toJob(job: JobRow): Job {
  return {
    ...toSummary(job),
    // The store gives back what the worker wrote.
    response: job.response === null ? null : (JSON.parse(job.response) as ChatResponse),
    error_message: job.errorMessage,
  };
}

const toSeconds = (ms: number): number => Math.floor(ms / 1_000);

/** What is kept of a request: how its reply would have been sent means nothing to a job. */
export function toKept(request: JsonObject): Json {
  const { stream: _stream, stream_mode: _mode, stream_options: _options, ...kept } = request;
  return kept;
}

/** A fault of the request inside the body, named as the caller wrote it. */
export function toInner(error: unknown): unknown {
  if (!(error instanceof Fault) || error.param === null || error.status !== 400) return error;
  return new Fault(error.code, error.message, { param: `request.${error.param}`, cause: error.cause });
}
