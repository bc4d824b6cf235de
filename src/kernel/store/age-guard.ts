import type { Clock } from '../kit/clock.ts';
import type { Database } from './database.ts';
import { createInstants } from './instants.ts';

/** Deletes rows older than some instant. Resolves to their number. */
type Forget<Args extends readonly unknown[]> = (...args: Args) => Promise<number>;

/** Guards a deletion by age against a clock that is far ahead. */
export type AgeGuard = <Args extends readonly unknown[]>(forget: Forget<Args>) => Forget<Args>;

/** A server may well have been off for this long. */
const jumpMaxMs = 86_400_000;
/** By then a clock that was wrong at the start is corrected. */
const confirmMs = 3_600_000;

/**
 * The store remembers the last check for old rows. Where the clock is more than a day past it, either the clock is
 * wrong, as after a start without a network, or the server was off; so nothing is deleted for an hour, and then only
 * if no other process used an earlier clock meanwhile. `onDoubt` is called once.
 */
export function createAgeGuard(
  { db }: Pick<Database, 'db'>,
  clock: Clock,
  onDoubt: (aheadMs: number) => void,
): AgeGuard {
  const instants = createInstants(db);
  let doubt: { readonly lastMs: number; readonly sinceMs: number } | null = null;

  async function mayDelete(): Promise<boolean> {
    const nowMs = clock.now();
    const lastMs = await instants.get('maintained');
    if (lastMs !== null && nowMs - lastMs > jumpMaxMs && !isConfirmed(lastMs, nowMs)) return false;
    doubt = null;
    await instants.set('maintained', nowMs);
    return true;
  }

  function isConfirmed(lastMs: number, nowMs: number): boolean {
    if (doubt?.lastMs === lastMs) return clock.monotonic() - doubt.sinceMs >= confirmMs;
    if (doubt === null) onDoubt(nowMs - lastMs);
    doubt = { lastMs, sinceMs: clock.monotonic() };
    return false;
  }

  return (forget) =>
    async (...args) =>
      (await mayDelete()) ? forget(...args) : 0;
}
