import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../kit/clock.ts';
import type { Ids } from '../kit/ids.ts';
import { createAccounts } from '../storage/accounts.ts';
import type { Database } from '../storage/database.ts';
import { createKeys } from '../storage/keys.ts';
import { openNotices, type Notices } from '../storage/notices.ts';
import { createUsage } from '../storage/usage.ts';
import { createAuthenticator, leaseMs, type Authenticator } from './authenticator.ts';
import { openJournal } from './journal.ts';
import { openMeter, type Meter } from './meter.ts';
import { loadRootKeys, type ConfiguredKey } from './root-keys.ts';
import { createTokens, type Tokens } from './tokens.ts';

export interface AccountsOptions {
  readonly database: Database;
  /** Holds the journal of the ledger. */
  readonly dataFolder: string;
  readonly configuredKeys: readonly ConfiguredKey[];
  /** Begins every token that is generated. */
  readonly family: string;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Told of rows that could not be handed to the ledger yet, or at all. */
  readonly onMeterError: (error: unknown) => void;
}

export interface OpenAccounts {
  readonly authenticate: Authenticator['authenticate'];
  readonly tokens: Tokens;
  readonly meter: Pick<Meter, 'add'>;
  /** The root key that this start made; null when there was one. */
  readonly newRootKey: string | null;
  /** Hands the ledger what there is. The store is closed by whoever opened it. */
  close(): Promise<void>;
}

const revocations = 'key-revoked';

/** Puts who may call together: keys, the accounts they speak for, the tokens that accounts generate, the ledger. */
export async function openAccounts(options: AccountsOptions): Promise<OpenAccounts> {
  const { database, configuredKeys, family, clock, ids } = options;
  const keys = createKeys(database.db);
  const accounts = createAccounts(database.db);
  const usage = createUsage(database.db);
  const roots = await loadRootKeys({ configured: configuredKeys, accounts, keys, family, clock, ids });
  const authenticator = createAuthenticator({
    rootKeys: roots.known,
    findKey: (hash) => keys.findActive(hash),
    clock,
  });
  const notices = await openNotices(database);
  notices.subscribe(revocations, (hash) => authenticator.forgetKey(hash));
  const meter = openMeter({
    journal: openJournal(join(options.dataFolder, 'usage-journal'), process.pid),
    keep: async (rows) => {
      await usage.insertBatch(rows);
    },
    onError: options.onMeterError,
  });
  const spreadRevocation = (hash: string) => spread(notices, hash, database.postgres !== null);
  return {
    authenticate: authenticator.authenticate,
    tokens: createTokens({ keys, authenticator, spreadRevocation, family, clock, ids }),
    meter,
    newRootKey: roots.created,
    async close() {
      await meter.close();
      await notices.close();
    },
  };
}

/**
 * Other processes on the store hear of it at once. One that misses the notice believes its memory no longer than a
 * lease, so after that the revocation holds everywhere, whatever became of the notice.
 */
async function spread(notices: Notices, hash: string, isShared: boolean): Promise<void> {
  if (!isShared) return;
  await notices.publish(revocations, hash).catch(() => {});
  await delay(leaseMs);
}
