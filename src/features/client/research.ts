import type { Json, JsonObject } from '../../kernel/kit/json.ts';
import { ApiError, type PublishedApi } from './api.ts';
import { toAnswer, type Answer, type Asked } from './ask.ts';
import { lookUntilOver } from './look.ts';
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

const path = '/async/chat/completions';
const timeoutMs = 30_000;
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
export function awaitJob(
  api: PublishedApi,
  id: string,
  { signal, onLook }: { readonly signal: AbortSignal; readonly onLook: (job: Job) => void },
): Promise<Job> {
  return lookUntilOver({
    look: () => readJob(api, id, signal),
    isOver: ({ status }) => status === 'COMPLETED' || status === 'FAILED',
    onLook,
    pollMs: [1_000, 5_000],
    signal,
  });
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
