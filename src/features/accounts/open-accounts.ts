import type { Config } from '../../kernel/config.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { Ids } from '../../kernel/kit/ids.ts';
import type { Kernel } from '../../kernel/open-kernel.ts';
import type { Database } from '../../kernel/store/database.ts';
import { openPubSub } from '../../kernel/store/pub-sub.ts';
import { createAdministration, type Administration } from './administration.ts';
import { createAuthenticator } from './authenticator.ts';
import { ledgerFolderOf, openJournal } from './ledger/journal.ts';
import { openMeter } from './ledger/meter.ts';
import { reportLedger } from './ledger/reports.ts';
import { openRetention } from './ledger/retention.ts';
import { openSetAside } from './ledger/set-aside.ts';
import { loadRootKeys } from './root-keys.ts';
import { createKeyInvalidation, followOthers } from './key-invalidation.ts';
import { createStorageQuota } from './storage-quota.ts';
import { createStores } from './stores.ts';
import { createTokens } from './tokens.ts';
import { openMaintenance } from './maintenance.ts';

const dayMs = 86_400_000;
const mebibyte = 1_048_576;

/**
 * Opens keys, their accounts, the tokens that accounts generate, and the ledger. Closing writes what is left to the
 * ledger and leaves the store open.
 */
export async function openAccounts(config: Config, { database, ageGuard, log, clock, ids }: Kernel) {
  const storageQuotaBytes = config.accounts.storageMb * mebibyte;
  const maker = { family: config.family, clock, ids };
  const stores = createStores(database);
  const { accounts, keys, usage, processes, storage } = stores;
  const roots = await loadRootKeys({ configured: config.keys, accounts, keys, ...maker });
  const authenticator = createAuthenticator({
    rootKeys: roots.known,
    findKey: (hash) => keys.findActive(hash),
    clock,
  });
  const pubSub = await openPubSub(database);
  followOthers(pubSub, authenticator);
  const invalidation = createKeyInvalidation({ pubSub, authenticator, isShared: database.postgres !== null });
  const folder = ledgerFolderOf(config.dataFolder);
  const keepMs = config.ledger.keepDays * dayMs;
  const reports = reportLedger(log);
  const meter = openMeter({
    journal: openJournal({ folder, name: ids.uuid(), clock, onStray: reports.onStray }),
    setAside: openSetAside(folder),
    store: async (rows) => void (await usage.insertBatch(rows)),
    clock,
    keepMs,
    ...reports,
  });
  const forget = ageGuard((beforeMs: number, rowsMax: number) => usage.forget(beforeMs, rowsMax));
  const retention = openRetention({ usage: { forget }, clock, keepMs, onError: reports.onError });
  const processId = ids.uuid();
  const maintenance = openMaintenance({
    authenticator,
    accounts,
    keys,
    processes,
    storage,
    processId,
    clock,
  });
  return {
    authenticate: authenticator.authenticate,
    tokens: createTokens({ keys, authenticator, invalidateKey: invalidation.revocation, ...maker }),
    administration: createAdministration({ stores, invalidation, storageQuotaBytes, ...maker }),
    storageQuota: createStorageQuota(storage, storageQuotaBytes),
    meter,
    newRootKey: roots.created,
    async close(): Promise<void> {
      await maintenance.close();
      await retention.close();
      await meter.close();
      await pubSub.close();
    },
  };
}

interface AccountsToolsOptions {
  readonly database: Database;
  readonly family: string;
  readonly storageQuotaBytes: number;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The administration beside servers that may be running on the same store. */
export async function openAccountsTools({
  database,
  ...options
}: AccountsToolsOptions): Promise<{ readonly administration: Administration; close(): Promise<void> }> {
  const pubSub = await openPubSub(database);
  const invalidation = createKeyInvalidation({ pubSub, authenticator: null, isShared: true });
  return {
    administration: createAdministration({ stores: createStores(database), invalidation, ...options }),
    close: () => pubSub.close(),
  };
}
