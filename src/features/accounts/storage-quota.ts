import { Fault } from '../../kernel/faults.ts';
import type { AccountStorage } from '../../kernel/store/account-storage.ts';

/** The limit on what is stored for one account. */
export interface StorageQuota {
  readonly bytesMax: number;
  /**
   * Room that is left, at least what is asked for. Throws Fault `storage_quota_exceeded`, before anything was done.
   * Unit: bytes.
   */
  admit(accountId: string, bytes?: number): Promise<number>;
  /** Those of these accounts that have no room. */
  full(accountIds: readonly string[]): Promise<ReadonlySet<string>>;
}

export function createStorageQuota(storage: AccountStorage, bytesMax: number): StorageQuota {
  return {
    bytesMax,
    async admit(accountId, bytes = 1) {
      const room = bytesMax - (await storage.bytesOf(accountId));
      if (room < bytes) throw new Fault('storage_quota_exceeded');
      return room;
    },
    async full(accountIds) {
      const bytesOf = await storage.bytesOfAll(accountIds);
      return new Set(accountIds.filter((id) => (bytesOf.get(id) ?? 0) >= bytesMax));
    },
  };
}
