import { setTimeout as pause } from 'node:timers/promises';

import type { Log } from '../../kernel/kit/log.ts';
import type { NearestState } from '../search/feature.ts';
import type { SourceRow } from './store/sources.ts';
import { embedStale } from './embed-stale.ts';
import { indexDocs, isDocsSettled, type DocsOptions } from './docs.ts';
import type { IndexingContext } from './context.ts';
import { refreshSource } from './refresh.ts';
import { toSource } from './source.ts';
import { every } from '../../kernel/kit/every.ts';

interface BackgroundOptions {
  readonly context: IndexingContext;
  /** Null for no documentation. */
  readonly docs: DocsOptions | null;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Keeps what finds the nearest vectors; null where the store has nothing of the kind. */
  readonly tendNearest?: ((signal: AbortSignal) => Promise<NearestState>) | null;
  /** Wait before the first work, so that the first requests of a server go first. Unit: ms. */
  readonly delayMs?: number;
  /** Interval of looking for sources that are due. Unit: ms. */
  readonly lookMs?: number;
}

export type BackgroundIndexing = ReturnType<typeof openBackgroundIndexing>;

const defaultDelayMs = 250;
const defaultLookMs = 60_000;
const defaultEveryMs = 3_600_000;

/** Keeps the index fresh beside a server: its own documentation first, then sources that are due, one after the other. */
export function openBackgroundIndexing({
  context,
  docs,
  log,
  tendNearest = null,
  delayMs = defaultDelayMs,
  lookMs = defaultLookMs,
}: BackgroundOptions) {
  const closing = new AbortController();
  const { signal } = closing;
  const work: Work = { context, log, signal };
  const docsSettled = docs === null ? Promise.resolve() : startDocs(work, docs, delayMs);
  const firstFill = docs === null ? docsSettled : untilFilled(work, docsSettled);
  const embedding = docsSettled.then(() => embedAll(work));
  const nearest = keepNearest(work, tendNearest);
  const tended = docsSettled.then(nearest);
  const looking = every(lookMs, () => tended.then(nearest).then(() => refreshDue(work)));
  return {
    /** Resolves once Nestor's own documentation is in the index, or could not be put there. */
    docsSettled,
    /** Resolves at the same time where that is the first time, and else at once. */
    firstFill,
    /** Resolves once all documents have vectors of the engine of embeddings that can. */
    embedded: embedding,
    /** Resolves once the store finds the nearest vectors, as far as it can. */
    tended,
    async close(): Promise<void> {
      closing.abort();
      await Promise.all([docsSettled, firstFill, embedding, tended, looking.close()]);
    },
  };
}

interface Work {
  readonly context: IndexingContext;
  readonly log: BackgroundOptions['log'];
  readonly signal: AbortSignal;
}

async function startDocs({ context, log, signal }: Work, docs: DocsOptions, delayMs: number): Promise<void> {
  try {
    await pause(delayMs, undefined, { signal, ref: false });
    await indexDocs(context, docs, signal);
    log.info('the documentation is in the index');
  } catch (error) {
    if (!signal.aborted) log.warn({ err: error }, 'the documentation could not be indexed');
  }
}

/** Never rejects. A store that cannot say it holds nobody up. */
async function untilFilled({ context }: Work, docsSettled: Promise<void>): Promise<void> {
  const isSettled = await isDocsSettled(context).catch(() => true);
  if (!isSettled) await docsSettled;
}

/** Never rejects. */
async function embedAll({ context, log, signal }: Work): Promise<void> {
  try {
    await embedStale({ ...context, log, signal });
  } catch (error) {
    if (!signal.aborted) log.warn({ err: error }, 'documents of the index could not be given vectors');
  }
}

/** Never rejects. Where it cannot be kept it is not tried again: words find without it. */
function keepNearest({ log, signal }: Work, tend: BackgroundOptions['tendNearest']): () => Promise<void> {
  let isOver = (tend ?? null) === null;
  return async () => {
    if (isOver || signal.aborted) return;
    try {
      isOver = (await tend?.(signal)) === 'missing';
      if (isOver) log.info({}, 'PostgreSQL has no pgvector: the index finds by words, and ranks by meaning');
    } catch (error) {
      if (signal.aborted) return;
      isOver = true;
      log.warn({ err: error }, 'pgvector cannot be used: the index finds by words, and ranks by meaning');
    }
  };
}

/** Never rejects: a source that fails is logged and waits for its next turn. */
async function refreshDue(work: Work): Promise<void> {
  const { context, log, signal } = work;
  try {
    while (!signal.aborted) {
      const row = await context.sources.due(context.clock.now());
      if (row === undefined || signal.aborted) return;
      // First, so that one that fails, or whose process dies, waits like the others.
      await context.sources.postpone(row.id, context.clock.now() + (row.everyMs ?? defaultEveryMs));
      await refreshOne(work, row);
    }
  } catch (error) {
    if (!signal.aborted) log.warn({ err: error }, 'sources of the index could not be looked at');
  }
}

async function refreshOne({ context, log, signal }: Work, row: SourceRow): Promise<void> {
  try {
    const outcome = await refreshSource(context, toSource(row), signal);
    if (outcome === null) return;
    const { added, changed, removed, failed } = outcome;
    log.info({ source: row.id, added, changed, removed, failed }, 'a source of the index was refreshed');
  } catch (error) {
    if (!signal.aborted) log.warn({ err: error, source: row.id }, 'a source of the index was not refreshed');
  }
}
