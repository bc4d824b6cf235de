import { createAccountStorage } from '../../kernel/store/account-storage.ts';
import type { Database } from '../../kernel/store/database.ts';
import { createProcesses } from '../../kernel/store/processes.ts';
import { createAccounts } from './store/accounts.ts';
import { createClosedAccounts } from './store/closed-accounts.ts';
import { createKeys } from './store/keys.ts';
import { createPurchases } from './store/purchases.ts';
import { createUsage } from './store/usage.ts';

export type Stores = ReturnType<typeof createStores>;

/** Everything that the administration reads and writes. */
export function createStores({ db, reader, reports }: Database) {
  return {
    accounts: createAccounts(db, reader),
    closed: createClosedAccounts(db),
    keys: createKeys(db, reader),
    purchases: createPurchases(db, reader),
    usage: createUsage(db, reports),
    processes: createProcesses(db),
    storage: createAccountStorage(db, reader),
  };
}
