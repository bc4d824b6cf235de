import { setTimeout as pause } from 'node:timers/promises';
import type { Json, JsonObject } from '../../kernel/kit/json.ts';
import { ApiError, type PublishedApi } from './api.ts';
import { toAnswer, type Answer, type Asked } from './ask.ts';
import { at, numberAt, textAt } from '../../kernel/kit/json-path.ts';

/** Research that the server does in the background; it goes on whether or not anybody waits. */
export interface Job {
  readonly id: string;
  readonly status: 'CREATED' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED';
  /** Unit: s since the Unix epoch. */
  readonly createdAt: number;
  /** Once it is completed. */
  readonly answer: Answer | null;
  /** Once it has failed. */
  readonly errorMessage: string | null;
}

interface Waiting {
  readonly signal: AbortSignal;
  onLook(job: Job): void;
  /** Between two looks, growing from the first to the second. Unit: ms. */
  readonly pollMs: readonly [first: number, longest: number];
}

export const usualPollMs = [1_000, 5_000] as const;

const path = '/async/chat/completions';
const timeoutMs = 30_000;
/** Looks that may fail one after the other: a server that restarts keeps the job. */
const failuresMax = 5;
const statuses = ['CREATED', 'IN_PROGRESS', 'COMPLETED', 'FAILED'] as const;

/** Starts research. Throws ApiError. */
export async function startResearch(
  api: PublishedApi,
  { question, model, fields }: Asked,
  signal: AbortSignal,
): Promise<Job> {
  const request: JsonObject = { ...fields, model, messages: [{ role: 'user', content: question }] };
  return toJob(await api.call({ method: 'POST', path, json: { request }, timeoutMs, signal }));
}

/** Looks at a job. Throws ApiError. */
export async function readJob(api: PublishedApi, id: string, signal: AbortSignal): Promise<Job> {
  const asked = { method: 'GET', path: `${path}/${encodeURIComponent(id)}`, timeoutMs, signal } as const;
  return toJob(await api.call(asked));
}

/** Waits until a job is completed or has failed. Throws ApiError and the signal's reason. */
export async function awaitJob(api: PublishedApi, id: string, waiting: Waiting): Promise<Job> {
  const { signal, pollMs } = waiting;
  const [firstMs, longestMs] = pollMs;
  let failures = 0;
  for (let waitMs = firstMs; ; waitMs = Math.min(longestMs, waitMs * 1.5)) {
    let askedWaitMs = 0;
    try {
      const job = await readJob(api, id, signal);
      failures = 0;
      waiting.onLook(job);
      if (job.status === 'COMPLETED' || job.status === 'FAILED') return job;
    } catch (error) {
      if (!isPassing(error) || ++failures === failuresMax) throw error;
      askedWaitMs = error.retryAfterMs ?? 0;
    }
    await pause(Math.max(waitMs, askedWaitMs), undefined, { signal });
  }
}

function isPassing(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === null || error.status === 429 || error.status >= 500);
}

function toJob(body: Json): Job {
  const id = textAt(body, 'id');
  const status = statuses.find((one) => one === textAt(body, 'status'));
  if (id === null || status === undefined) throw new ApiError('The answer is no job.');
  return {
    id,
    status,
    createdAt: numberAt(body, 'created_at') ?? 0,
    answer: status === 'COMPLETED' ? toAnswer(at(body, 'response') ?? null) : null,
    errorMessage: textAt(body, 'error_message'),
  };
}
