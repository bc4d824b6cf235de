import { createStorageQuota, type StorageQuota } from '../../src/features/accounts/storage-quota.ts';
import { createAccountStorage } from '../../src/kernel/store/account-storage.ts';
import type { Database } from '../../src/kernel/store/database.ts';

/** The quota of a real store. */
export function quotaOf({ db }: Database, bytesMax = 1_073_741_824): StorageQuota {
  return createStorageQuota(createAccountStorage(db), bytesMax);
}
