import { setTimeout as pause } from 'node:timers/promises';
import { hasAccountRows, removeAccountRows } from '../../kernel/store/account-rows.ts';
import type { Database } from '../../kernel/store/database.ts';
import { isRefusal } from '../../kernel/store/errors.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import { every } from '../../kernel/kit/every.ts';
import type { Log } from '../../kernel/kit/log.ts';
import type { ClosedAccounts } from './store/closed-accounts.ts';

interface AccountRemovalOptions {
  readonly db: Database['db'];
  readonly closed: ClosedAccounts;
  readonly clock: Clock;
}

export type AccountRemoval = ReturnType<typeof createAccountRemoval>;

/** Requests of a deleted account that were under way have ended by then, and what they left is removed too. Unit: ms. */
const settledAfterMs = 3_600_000;
/** Between rounds, while another process removes rows of the same account. */
const roundPauseMs = 20;
/** One look at an index that is nearly always empty. */
const sweptEveryMs = 5_000;

/** Removes what closed accounts have, in bounded steps. Any process may go on where another one was killed. */
export function createAccountRemoval({ db, closed, clock }: AccountRemovalOptions) {
  /** Resolves when nothing is left; rejects when the signal aborts, and may then be called again. */
  async function empty(accountId: string, withLedger: boolean, signal: AbortSignal): Promise<void> {
    const scope = { accountId, withLedger };
    while (await hasAccountRows(db, scope))
      if ((await removeAccountRows(db, scope, signal)) === 0)
        await pause(roundPauseMs, undefined, { signal, ref: false });
    await closed.emptied(accountId, clock.now());
  }

  return {
    empty,
    /** Whether anything is there under this id, its ledger included. */
    hasRows: (accountId: string) => hasAccountRows(db, { accountId, withLedger: true }),
    /** Empties a closed account and frees its id at once, for a new one of the same id. */
    async finish(accountId: string): Promise<void> {
      const account = await closed.find(accountId);
      if (account === undefined) return;
      await empty(accountId, account.forgetsLedger === 1, AbortSignal.any([]));
      await closed.remove(accountId);
    },
    /** Goes on with all that were begun, and removes what came after. */
    async sweep(signal: AbortSignal): Promise<void> {
      for (const { id, closedAtMs, forgetsLedger } of await closed.list()) {
        await empty(id, forgetsLedger === 1, signal);
        if ((closedAtMs ?? 0) > clock.now() - settledAfterMs) continue;
        // A row that came at this very moment is found by the next turn.
        await closed.remove(id).catch((error: unknown) => {
          if (!isRefusal(error, 'foreign_key')) throw error;
        });
      }
    },
  };
}

/** Has a server look for closed accounts, from its start on. */
export function sweepAccounts(removal: AccountRemoval, log: Pick<Log, 'error'>) {
  const closing = new AbortController();
  const sweep = async () => {
    if (!closing.signal.aborted) await removal.sweep(closing.signal);
  };
  const report = (error: unknown) => {
    if (!closing.signal.aborted) log.error({ err: error }, 'what a deleted account had cannot be removed');
  };
  const first = sweep().catch(report);
  const timer = every(sweptEveryMs, sweep, report);
  return {
    async close(): Promise<void> {
      closing.abort();
      await Promise.all([first, timer.close()]);
    },
  };
}
