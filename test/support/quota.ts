import { createStorageQuota, type StorageQuota } from '../../src/accounts/storage-quota.ts';
import { createAccountStorage } from '../../src/storage/account-storage.ts';
import type { Database } from '../../src/storage/database.ts';

/** The quota of a real store. */
export function quotaOf({ db }: Database, bytesMax = 1_073_741_824): StorageQuota {
  return createStorageQuota(createAccountStorage(db), bytesMax);
}
