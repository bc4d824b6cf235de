import type { Json, JsonObject } from '../../kernel/kit/json.ts';
import { numberAt, textAt } from '../../kernel/kit/json-path.ts';
import { ApiError, type PublishedApi } from './api.ts';
import { lookUntilOver } from './look.ts';

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
export function awaitBatch(
  api: PublishedApi,
  id: string,
  { signal, onLook }: { readonly signal: AbortSignal; readonly onLook: (batch: Batch) => void },
): Promise<Batch> {
  return lookUntilOver({
    look: () => readBatch(api, id, signal),
    isOver: ({ status }) => status !== 'queued' && status !== 'running',
    onLook,
    pollMs: [250, 2_000],
    signal,
  });
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
