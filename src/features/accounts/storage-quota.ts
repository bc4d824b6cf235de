import { Fault } from '../../kernel/faults.ts';
import type { AccountStorage } from '../../kernel/store/account-storage.ts';

export type StorageQuota = ReturnType<typeof createStorageQuota>;

/** The limit on what is stored for one account. */
export function createStorageQuota(storage: AccountStorage, bytesMax: number) {
  return {
    bytesMax,
    /**
     * Room that is left, at least what is asked for. Throws Fault `storage_quota_exceeded`, before anything was done.
     * Unit: bytes.
     */
    async admit(accountId: string, bytes = 1): Promise<number> {
      const room = bytesMax - (await storage.bytesOf(accountId));
      if (room < bytes) throw new Fault('storage_quota_exceeded');
      return room;
    },
    /** Those of these accounts that have no room. */
    async full(accountIds: readonly string[]): Promise<ReadonlySet<string>> {
      const bytesOf = await storage.bytesOfAll(accountIds);
      return new Set(accountIds.filter((id) => (bytesOf.get(id) ?? 0) >= bytesMax));
    },
  };
}
