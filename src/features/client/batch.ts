import { setTimeout as pause } from 'node:timers/promises';
import type { Json, JsonObject } from '../../kernel/kit/json.ts';
import { numberAt, textAt } from '../../kernel/kit/json-path.ts';
import { ApiError, type PublishedApi } from './api.ts';

/** A batch of decisions as far as its command needs it. */
export interface Batch {
  readonly id: string;
  readonly status: string;
  readonly total: number;
  readonly answered: number;
  readonly failed: number;
  readonly reply: Json;
}

export interface NewBatch {
  readonly model: string;
  /** Questions of rows that have none; null where every row has its own. */
  readonly questions: JsonObject | null;
  readonly file: { readonly name: string; readonly content: Blob };
}

const path = '/v1/decisions/batches';
const timeoutMs = 30_000;
const uploadMs = 3_600_000;
const failuresMax = 5;
const pollMs = { first: 250, longest: 2_000 };

/** Sends a file of rows. Throws ApiError. */
export async function startBatch(
  api: PublishedApi,
  { model, questions, file }: NewBatch,
  signal: AbortSignal,
): Promise<Batch> {
  const fields = { model, ...(questions === null ? {} : { questions: JSON.stringify(questions) }) };
  const form = { fields, file };
  return toBatch(await api.call({ method: 'POST', path, form, timeoutMs: uploadMs, signal }));
}

export async function readBatch(api: PublishedApi, id: string, signal: AbortSignal): Promise<Batch> {
  const place = `${path}/${encodeURIComponent(id)}`;
  return toBatch(await api.call({ method: 'GET', path: place, timeoutMs, signal }));
}

/** Waits until a batch is over. Throws ApiError and the signal's reason. */
export async function awaitBatch(
  api: PublishedApi,
  id: string,
  { signal, onLook }: { readonly signal: AbortSignal; readonly onLook: (batch: Batch) => void },
): Promise<Batch> {
  let failures = 0;
  for (let waitMs = pollMs.first; ; waitMs = Math.min(pollMs.longest, waitMs * 1.5)) {
    let askedMs = 0;
    try {
      const batch = await readBatch(api, id, signal);
      failures = 0;
      onLook(batch);
      if (batch.status !== 'queued' && batch.status !== 'running') return batch;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { status, retryAfterMs } = error;
      // A server that restarts keeps the batch.
      const isPassing = status === null || status === 429 || status >= 500;
      if (!isPassing || (status !== 429 && ++failures === failuresMax)) throw error;
      askedMs = retryAfterMs ?? 0;
    }
    await pause(Math.max(waitMs, askedMs), undefined, { signal });
  }
}

/** The path of its results. */
export const resultsPath = (id: string): string => `${path}/${encodeURIComponent(id)}/results`;

function toBatch(reply: Json): Batch {
  const id = textAt(reply, 'id');
  const status = textAt(reply, 'status');
  if (id === null || status === null) throw new ApiError('The answer is no batch.');
  const count = (name: string): number => numberAt(reply, 'rows', name) ?? 0;
  return { id, status, total: count('total'), answered: count('answered'), failed: count('failed'), reply };
}
