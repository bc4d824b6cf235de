import type { Api } from '../../api/call.ts';
import type { Answer } from '../decide/answers.ts';

export interface Batch {
  readonly id: string;
  readonly status: 'queued' | 'running' | 'completed' | 'cancelled' | 'expired';
  readonly model: string;
  /** Of the uploaded file. */
  readonly name: string | null;
  readonly rows: {
    readonly total: number;
    readonly answered: number;
    readonly failed: number;
    readonly left: number;
  };
  /** 0 to 1. */
  readonly progress: number;
  readonly rows_per_second: number | null;
  readonly seconds_left: number | null;
  readonly waiting_for: 'storage' | 'engine' | 'server' | null;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
  /** ISO 8601, as all of them. */
  readonly created_at: string;
  readonly ended_at: string | null;
  readonly expires_at: string;
}

export interface BatchList {
  readonly data: readonly Batch[];
  readonly next_page_token: string | null;
}

/** The result of one row. */
export interface Result {
  /** Of the row in the file, from 1 on. */
  readonly line: number;
  readonly id?: string;
  readonly answers?: Readonly<Record<string, Answer>>;
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number };
  readonly error?: { readonly message: string };
}

export interface NewBatch {
  readonly model: string;
  /** Null where every row has its own. */
  readonly questions: unknown;
  readonly name: string;
  /** JSON lines. */
  readonly rows: Blob;
}

export const batchesPath = '/v1/decisions/batches';

/** How often a batch that is open is looked at, in ms. */
export const lookAgainMs = 1_500;

export function pathOf(id: string): string {
  return `${batchesPath}/${encodeURIComponent(id)}`;
}

export function isOpen({ status }: Pick<Batch, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

/** Resolves when every row was checked and is on disk. */
export async function sendBatch(api: Api, given: NewBatch, signal?: AbortSignal): Promise<Batch> {
  const form = new FormData();
  form.set('model', given.model);
  if (given.questions !== null) form.set('questions', JSON.stringify(given.questions));
  form.set('file', given.rows, given.name);
  const request = { path: batchesPath, body: form };
  return (await api.call<Batch>(signal === undefined ? request : { ...request, signal })).body;
}

/** Results in the order of the rows, those behind line `after` only. */
export async function readResults(
  api: Api,
  id: string,
  query: { readonly after?: number; readonly limit?: number },
  signal: AbortSignal,
): Promise<readonly Result[]> {
  const bytes = await api.download({ path: `${pathOf(id)}/results`, query, signal });
  const lines = (await bytes.text()).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Result);
}
