import type { Clock } from '../kit/clock.ts';
import type { Database } from './database.ts';
import { createInstants } from './instants.ts';

/** Deletes rows that are older than `beforeMs`. Resolves to how many there were. */
type Forget<Args extends readonly unknown[]> = (...args: Args) => Promise<number>;

/** Makes a deletion by age one that a clock far ahead does not set off. */
export type AgeGuard = <Args extends readonly unknown[]>(forget: Forget<Args>) => Forget<Args>;

/** A server that was off for so long is no cause for doubt. */
const jumpMaxMs = 86_400_000;
/** A clock that was wrong at a start has been set right by then. */
const confirmMs = 3_600_000;

/**
 * The store remembers when what is old was last looked for. A clock that is more than a day past that was either set
 * wrong, as after a start without a network, or the server was off; so nothing is deleted for an hour, and then only if
 * no other process has gone by an earlier clock meanwhile. `onDoubt` is called once, with how far it is ahead.
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
