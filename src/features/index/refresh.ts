import { Fault } from '../../kernel/faults.ts';
import { leftoversOf } from './attempt.ts';
import { refreshFolder } from './folder.ts';
import type { IndexingContext, Refresh } from './context.ts';
import { refreshTexts } from './texts.ts';
import { UsageCounter, toSource, type Outcome, type Progress, type Source } from './source.ts';
import { refreshWeb } from './web.ts';

/** How long a process that died keeps others from refreshing. Unit: ms. */
const leaseMs = 20_000;
const renewMs = 5_000;
/** A refresh that was broken off longer ago begins anew: what it saw may be gone. Unit: ms. */
const resumableMs = 86_400_000;
const removedAtOnce = 100;

/**
 * Brings the documents of one source to what is there now. Null when another process is at it. Whatever ends it, what
 * was written is whole; the next refresh goes on. Throws Fault where the source itself cannot be read.
 */
export async function refreshSource(
  context: IndexingContext,
  source: Source,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void = () => {},
): Promise<Outcome | null> {
  const { sources, clock, owner } = context;
  const takeLease = () =>
    sources.lease(source.id, { owner, nowMs: clock.now(), untilMs: clock.now() + leaseMs });
  if (!(await takeLease())) return null;
  const lost = new AbortController();
  const renew = async () => {
    try {
      if (!(await takeLease()))
        lost.abort(new Fault('service_unavailable', 'Another process refreshes this source.'));
    } catch {
      // The store is not there; what is written next says so.
    }
  };
  const timer = setInterval(() => void renew(), renewMs);
  timer.unref();
  try {
    const leftovers = await leftoversOf(context, source.id);
    const { begunAtMs, isNew } = await sources.begin(source.id, clock.now(), clock.now() - resumableMs);
    const counter = new UsageCounter();
    const refresh: Refresh = {
      begunAtMs,
      isNew,
      leftovers,
      signal: AbortSignal.any([signal, lost.signal]),
      onStep: (total) => onProgress({ done: counter.done, total, failed: counter.failed }),
    };
    let mayRemove = true;
    if (source.kind === 'web') ({ mayRemove } = await refreshWeb(context, source, refresh, counter));
    else if (source.kind === 'texts') {
      // A text goes with its document, and one that is being sent may be older than this refresh.
      mayRemove = false;
      await refreshTexts(context, source, refresh, counter);
    } else await refreshFolder(context, source, refresh, counter);
    if (mayRemove) await removeUnseen(context, source, refresh, counter);
    const outcome = counter.toOutcome();
    await sources.finish(source.id, clock.now(), JSON.stringify(outcome));
    await readAgainIfChanged(context, source, outcome);
    return outcome;
  } catch (error) {
    // The store refuses documents of a source that was removed meanwhile, with an error of its own.
    if ((await sources.find(source.id).catch(() => null)) === undefined)
      throw new Fault('not_found', 'The source was removed while it was read.');
    throw error;
  } finally {
    clearInterval(timer);
    await sources.release(source.id, owner);
  }
}

/** Options that were changed meanwhile, or texts that were sent: the next look of any server reads the source again. */
async function readAgainIfChanged(
  context: IndexingContext,
  source: Source,
  { failed }: Outcome,
): Promise<void> {
  const { sources, vectors, embeddedBy, clock } = context;
  const row = await sources.find(source.id);
  if (row === undefined) return;
  const isChanged = JSON.stringify(toSource(row).options) !== JSON.stringify(source.options);
  // What cannot be read is not tried for ever.
  const mayBeBehind = source.kind === 'texts' && failed === 0 && embeddedBy !== null;
  const isBehind = mayBeBehind && (await vectors.hasStale(source.id, embeddedBy));
  if (isChanged || isBehind) await sources.postpone(source.id, clock.now());
}

async function removeUnseen(
  { corpus }: IndexingContext,
  { id }: Source,
  { begunAtMs, signal }: Refresh,
  counter: UsageCounter,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const removed = await corpus.removeUnseen(id, begunAtMs, removedAtOnce);
    counter.removed += removed;
    if (removed < removedAtOnce) return;
  }
}
