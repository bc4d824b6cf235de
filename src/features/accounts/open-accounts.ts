import type { Clock } from '../../kernel/kit/clock.ts';
import type { Ids } from '../../kernel/kit/ids.ts';
import { createAccountStorage } from '../../kernel/store/account-storage.ts';
import { createAccounts } from './store/accounts.ts';
import type { AgeGuard } from '../../kernel/store/age-guard.ts';
import type { Database } from '../../kernel/store/database.ts';
import { createKeys } from './store/keys.ts';
import { openPubSub } from '../../kernel/store/pub-sub.ts';
import { createProcesses } from '../../kernel/store/processes.ts';
import { createPurchases } from './store/purchases.ts';
import { createUsage } from './store/usage.ts';
import { createAdministration, type Administration } from './administration.ts';
import { createAuthenticator, type Authenticator } from './authenticator.ts';
import { ledgerFolderOf } from './ledger/folder.ts';
import { openJournal } from './ledger/journal.ts';
import { openMeter, type Meter, type MeterReports } from './ledger/meter.ts';
import { openRetention } from './ledger/retention.ts';
import { openSetAside } from './ledger/set-aside.ts';
import { loadRootKeys, type ConfiguredKey } from './root-keys.ts';
import { createKeyInvalidation, followOthers } from './key-invalidation.ts';
import { createStorageQuota, type StorageQuota } from './storage-quota.ts';
import { createTokens, type Tokens } from './tokens.ts';
import { openMaintenance } from './maintenance.ts';

export interface AccountsOptions {
  readonly database: Database;
  /** Guards deletions by age against a wrong clock. */
  readonly ageGuard: AgeGuard;
  /** Holds the journal of the ledger. */
  readonly dataFolder: string;
  readonly configuredKeys: readonly ConfiguredKey[];
  /** Begins every token that is generated. */
  readonly family: string;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Largest size stored for one account, in bytes. */
  readonly storageQuotaBytes: number;
  /** How long rows of the ledger are kept. Unit: ms. */
  readonly keepRowsMs: number;
  readonly ledgerReports: MeterReports & { readonly onStray: (name: string) => void };
}

export interface OpenAccounts {
  readonly authenticate: Authenticator['authenticate'];
  readonly tokens: Tokens;
  readonly administration: Administration;
  readonly storageQuota: StorageQuota;
  readonly meter: Pick<Meter, 'reserve' | 'state'>;
  /** The root key that this start made; null when there was one. */
  readonly newRootKey: string | null;
  /** Writes what is left to the ledger. Leaves the store open. */
  close(): Promise<void>;
}

/** Opens keys, their accounts, the tokens that accounts generate, and the ledger. */
export async function openAccounts(options: AccountsOptions): Promise<OpenAccounts> {
  const { database, configuredKeys, family, clock, ids, storageQuotaBytes } = options;
  const maker = { family, clock, ids };
  const stores = createStores(database);
  const { accounts, keys, usage, processes } = stores;
  const roots = await loadRootKeys({ configured: configuredKeys, accounts, keys, ...maker });
  const authenticator = createAuthenticator({
    rootKeys: roots.known,
    findKey: (hash) => keys.findActive(hash),
    clock,
  });
  const pubSub = await openPubSub(database);
  followOthers(pubSub, authenticator);
  const invalidation = createKeyInvalidation({ pubSub, authenticator, isShared: database.postgres !== null });
  const folder = ledgerFolderOf(options.dataFolder);
  const { ledgerReports, keepRowsMs } = options;
  const meter = openMeter({
    journal: openJournal({ folder, name: ids.uuid(), clock, onStray: ledgerReports.onStray }),
    setAside: openSetAside(folder),
    store: async (rows) => {
      await usage.insertBatch(rows);
    },
    clock,
    keepMs: keepRowsMs,
    ...ledgerReports,
  });
  const retention = openRetention({
    usage: {
      forget: options.ageGuard((beforeMs: number, rowsMax: number) => usage.forget(beforeMs, rowsMax)),
    },
    clock,
    keepMs: keepRowsMs,
    onError: ledgerReports.onError,
  });
  const maintenance = openMaintenance({
    authenticator,
    accounts,
    keys,
    processes,
    storage: stores.storage,
    processId: ids.uuid(),
    clock,
  });
  return {
    authenticate: authenticator.authenticate,
    tokens: createTokens({ keys, authenticator, invalidateKey: invalidation.revocation, ...maker }),
    administration: createAdministration({ stores, invalidation, storageQuotaBytes, ...maker }),
    storageQuota: createStorageQuota(stores.storage, storageQuotaBytes),
    meter,
    newRootKey: roots.created,
    async close() {
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

interface AccountsTools {
  readonly administration: Administration;
  close(): Promise<void>;
}

/** The administration beside servers that may be running on the same store. */
export async function openAccountsTools({
  database,
  storageQuotaBytes,
  ...maker
}: AccountsToolsOptions): Promise<AccountsTools> {
  const pubSub = await openPubSub(database);
  const invalidation = createKeyInvalidation({ pubSub, authenticator: null, isShared: true });
  return {
    administration: createAdministration({
      stores: createStores(database),
      invalidation,
      storageQuotaBytes,
      ...maker,
    }),
    close: () => pubSub.close(),
  };
}

function createStores({ db, reader, reports }: Database) {
  return {
    accounts: createAccounts(db, reader),
    keys: createKeys(db, reader),
    purchases: createPurchases(db, reader),
    usage: createUsage(db, reports),
    processes: createProcesses(db),
    storage: createAccountStorage(db, reader),
  };
}
