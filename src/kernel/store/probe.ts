import type { Clock } from '../kit/clock.ts';
import type { Database } from './database.ts';
import { createInstants } from './instants.ts';

/** For how long one answer is believed, and waited for. */
const defaultLimits = { believedMs: 1_000, timeMaxMs: 5_000 };

/**
 * Probes the store by writing and reading one row, so that a full disk, a read-only store and one that is too slow
 * show before a request meets them. At most one write a second.
 */
export function createStoreProbe(
  database: Pick<Database, 'db' | 'reader' | 'health'>,
  clock: Clock,
  { believedMs, timeMaxMs } = defaultLimits,
): () => Promise<'ok' | 'down'> {
  const instants = createInstants(database.db, database.reader);
  let last: { readonly state: Promise<'ok' | 'down'>; readonly atMs: number } | null = null;

  async function tryStore(): Promise<void> {
    await instants.set('probed', clock.now());
    await instants.get('probed');
  }

  return async () => {
    if (database.health() === 'down') return 'down';
    const nowMs = clock.monotonic();
    if (last === null || nowMs - last.atMs >= believedMs)
      last = { state: withinTime(tryStore(), timeMaxMs), atMs: nowMs };
    return last.state;
  };
}

async function withinTime(work: Promise<void>, timeMaxMs: number): Promise<'ok' | 'down'> {
  const { promise, resolve } = Promise.withResolvers<'down'>();
  const timer = setTimeout(() => resolve('down'), timeMaxMs);
  const tried = work.then(
    () => 'ok' as const,
    () => 'down' as const,
  );
  try {
    return await Promise.race([tried, promise]);
  } finally {
    clearTimeout(timer);
  }
}
