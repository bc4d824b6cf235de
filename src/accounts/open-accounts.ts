import type { Clock } from '../kit/clock.ts';
import type { Ids } from '../kit/ids.ts';
import { createAccounts } from '../storage/accounts.ts';
import type { Database } from '../storage/database.ts';
import { createKeys } from '../storage/keys.ts';
import { createAuthenticator, type Authenticator } from './authenticator.ts';
import { loadRootKeys, type ConfiguredKey } from './root-keys.ts';
import { createTokens, type Tokens } from './tokens.ts';

export interface AccountsOptions {
  readonly database: Pick<Database, 'db'>;
  readonly configuredKeys: readonly ConfiguredKey[];
  /** Begins every token that is generated. */
  readonly family: string;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface OpenAccounts {
  readonly authenticate: Authenticator['authenticate'];
  readonly tokens: Tokens;
  /** The root key that this start made; null when there was one. */
  readonly newRootKey: string | null;
}

/** Puts who may call together: keys, the accounts they speak for, and the tokens that accounts generate. */
export async function openAccounts(options: AccountsOptions): Promise<OpenAccounts> {
  const { database, configuredKeys, family, clock, ids } = options;
  const keys = createKeys(database.db);
  const accounts = createAccounts(database.db);
  const roots = await loadRootKeys({ configured: configuredKeys, accounts, keys, family, clock, ids });
  const authenticator = createAuthenticator({
    rootKeys: roots.known,
    findKey: (hash) => keys.findActive(hash),
    clock,
  });
  const spreadRevocation = () => Promise.resolve();
  return {
    authenticate: authenticator.authenticate,
    tokens: createTokens({ keys, authenticator, spreadRevocation, family, clock, ids }),
    newRootKey: roots.created,
  };
}
