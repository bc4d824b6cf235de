import { join } from 'node:path';
import type { Clock } from '../../kernel/kit/clock.ts';
import { every } from '../../kernel/kit/every.ts';
import { openPending, type NewReceipt } from './pending-receipts.ts';
import type { Receipt } from './receipt-schema.ts';
import type { ReceiptStore } from './store/receipts.ts';

export interface ReceiptsOptions {
  readonly store: ReceiptStore;
  /** The data folder: what the store does not have yet lies there as files. */
  readonly folder: string;
  readonly clock: Clock;
  readonly retentionMs: number;
  readonly perAccountMax: number;
  readonly fullAccounts: (accountIds: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly onError: (error: unknown) => void;
}

export type Receipts = Awaited<ReturnType<typeof openReceipts>>;

const forgetEveryMs = 600_000;
const retryMs = 5_000;
const pendingMax = 200;
/** One that is longer is not kept. */
const bytesMax = 2_097_152;

/**
 * Receipts by their ids. A receipt is in a file before it is told, so that it outlives a process that is killed, and in
 * the store soon after: no answer waits for a commit.
 */
export async function openReceipts({ store, folder, clock, retentionMs, ...options }: ReceiptsOptions) {
  const { perAccountMax, fullAccounts, onError } = options;
  const pending = await openPending(join(folder, 'receipts'), onError);
  let storing: Promise<void> | null = null;
  const forgetting = every(forgetEveryMs, async () => void (await store.forget(clock.now())), onError);
  const retrying = every(retryMs, storeSoon, onError);
  void storeSoon();

  /** One write at a time; what comes meanwhile goes with the next. */
  async function storeAll(): Promise<void> {
    while (pending.size > 0) {
      const rows = pending.next();
      const full = await fullAccounts([...new Set(rows.map(({ accountId }) => accountId))]);
      await store.add(
        rows.filter(({ accountId }) => !full.has(accountId)),
        perAccountMax,
      );
      await pending.done(rows);
    }
  }

  function storeSoon(): Promise<void> {
    storing ??= storeAll()
      .catch(onError)
      .finally(() => (storing = null));
    return storing;
  }

  return {
    /** Its id; null where it is not kept. */
    async put(accountId: string, receipt: Receipt): Promise<string | null> {
      const json = JSON.stringify(receipt);
      if (perAccountMax === 0 || pending.size >= pendingMax || json.length > bytesMax) return null;
      const createdAtMs = clock.now();
      const row: NewReceipt = {
        id: receipt.id,
        accountId,
        receipt: json,
        createdAtMs,
        expiresAtMs: createdAtMs + retentionMs,
      };
      try {
        await pending.add(row);
      } catch (error) {
        onError(error);
        return null;
      }
      void storeSoon();
      return receipt.id;
    },

    /** JSON text; null for one that is unknown, foreign or past its time. */
    async get(accountId: string, id: string): Promise<string | null> {
      const waiting = pending.find(id);
      if (waiting !== undefined) return waiting.accountId === accountId ? waiting.receipt : null;
      return store.find(accountId, id, clock.now());
    },

    async close(): Promise<void> {
      await Promise.all([forgetting.close(), retrying.close()]);
      await storing;
    },
  };
}
