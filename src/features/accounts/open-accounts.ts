import type { Config } from '../../kernel/config.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { Ids } from '../../kernel/kit/ids.ts';
import type { Kernel } from '../../kernel/open-kernel.ts';
import type { Database } from '../../kernel/store/database.ts';
import { openPubSub } from '../../kernel/store/pub-sub.ts';
import { createAccountRemoval, sweepAccounts } from './account-removal.ts';
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
import { createAccounts } from './store/accounts.ts';
import { createStores, type Stores } from './stores.ts';
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
  const { accounts, closed, keys, processes, storage } = stores;
  const removal = createAccountRemoval({ db: database.db, closed, clock });
  // Read where it is written: a thread for readers is opened when somebody asks for something.
  const ownAccounts = createAccounts(database.db);
  const roots = await loadRootKeys({
    configured: config.keys,
    accounts: ownAccounts,
    keys,
    removal,
    ...maker,
  });
  const authenticator = createAuthenticator({
    rootKeys: roots.known,
    findKey: (hash) => keys.findActive(hash),
    clock,
  });
  const pubSub = await openPubSub(database);
  followOthers(pubSub, authenticator);
  const invalidation = createKeyInvalidation({ pubSub, authenticator, isShared: database.postgres !== null });
  const { meter, retention } = openLedger(config, stores.usage, { ageGuard, log, clock, ids });
  const sweeps = sweepAccounts(removal, log);
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
    administration: createAdministration({
      stores,
      invalidation,
      removal,
      configuredAccounts: config.keys.map(({ account }) => account),
      storageQuotaBytes,
      ...maker,
    }),
    storageQuota: createStorageQuota(storage, storageQuotaBytes),
    meter,
    newRootKey: roots.created,
    async close(): Promise<void> {
      await sweeps.close();
      await maintenance.close();
      await retention.close();
      await meter.close();
      await pubSub.close();
    },
  };
}

function openLedger(
  config: Config,
  usage: Stores['usage'],
  { ageGuard, log, clock, ids }: Pick<Kernel, 'ageGuard' | 'log' | 'clock' | 'ids'>,
) {
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
  return { meter, retention: openRetention({ usage: { forget }, clock, keepMs, onError: reports.onError }) };
}

interface AccountsToolsOptions {
  readonly database: Database;
  readonly family: string;
  readonly storageQuotaBytes: number;
  readonly configuredAccounts: readonly string[];
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
  const stores = createStores(database);
  const removal = createAccountRemoval({ db: database.db, closed: stores.closed, clock: options.clock });
  return {
    administration: createAdministration({ stores, invalidation, removal, ...options }),
    close: () => pubSub.close(),
  };
}
