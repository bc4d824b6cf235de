import type { Api } from '../../api/call.ts';
import { ApiFailure } from '../../api/failure.ts';
import { isOpen, pathOf, readResults, sendBatch, type Batch, type Result } from '../batches/wire.ts';
import type { BatchOptions, Outcome } from './batch.ts';

/** Tables with more rows go to the server as one batch, which no rate limit slows down and which outlives the page. */
export const rowByRowMax = 1_000;

/** Why a run is aborted: who only leaves lets the batch go on. */
export const stopped = 'stopped';

export interface ServerBatchOptions extends Omit<BatchOptions, 'ask'> {
  readonly api: Api;
  readonly model: string;
  readonly questions: unknown;
  readonly name: string;
  readonly stateOf: (row: number) => string;
  /** Its id, as soon as it has one. */
  readonly onBatch: (id: string) => void;
}

const pauseMs = 1_500;
/** Results of one call. */
const resultsMax = 5_000;

/**
 * Asks every row in one batch and hands on what comes in. Resolves to null when all have an outcome or the signal
 * aborted, else to the failure that ended it. Stopped, the batch is cancelled.
 */
export async function runServerBatch(options: ServerBatchOptions): Promise<unknown> {
  const { api, signal } = options;
  let id: string | null = null;
  try {
    const { model, questions, name, rows, stateOf } = options;
    const lines = rows.map((row) => `${JSON.stringify({ state: stateOf(row) })}\n`);
    const batch = await sendBatch(api, { model, questions, name, rows: new Blob(lines) }, signal);
    id = batch.id;
    options.onBatch(id);
    await follow(options, id);
    return null;
  } catch (error) {
    if (!signal.aborted) return error;
    if (signal.reason !== stopped || id === null) return null;
    return cancel(api, id);
  }
}

async function cancel(api: Api, id: string): Promise<unknown> {
  try {
    await api.call({ method: 'POST', path: `${pathOf(id)}/cancel` });
    return null;
  } catch (error) {
    return error;
  }
}

async function follow(
  { api, signal, model, rows, ...options }: ServerBatchOptions,
  id: string,
): Promise<void> {
  let after = 0;
  for (;;) {
    signal.throwIfAborted();
    const isLast = await patiently(options, signal, async () => {
      const { body } = await api.call<Batch>({ path: pathOf(id), signal });
      // Asked after the state: whatever a batch that is over has is there then.
      const results = await readResults(api, id, { after, limit: resultsMax }, signal);
      for (const result of results) options.onOutcome(rows[result.line - 1] ?? 0, toOutcome(result, model));
      after = results.at(-1)?.line ?? after;
      return results.length < resultsMax && !isOpen(body);
    });
    if (isLast) return;
    await options.wait(pauseMs, signal);
  }
}

/** Again after the pause that a rate limit asks for. */
async function patiently<Value>(
  { onWait, wait }: Pick<BatchOptions, 'onWait' | 'wait'>,
  signal: AbortSignal,
  work: () => Promise<Value>,
): Promise<Value> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !(error instanceof ApiFailure) || error.status !== 429) throw error;
      const waitMs = (error.retryAfterS ?? 1) * 1_000;
      onWait(waitMs);
      await wait(waitMs, signal);
      onWait(0);
      signal.throwIfAborted();
    }
  }
}

function toOutcome({ answers, usage, error }: Result, model: string): Outcome {
  if (answers === undefined || usage === undefined)
    return { error: error?.message ?? 'This row has no answer.' };
  return { decision: { model, answers, usage } };
}
