import type { Clock } from '../kit/clock.ts';
import { hashSecret, type Ids } from '../kit/ids.ts';
import type { Accounts } from '../storage/accounts.ts';
import type { Keys } from '../storage/keys.ts';
import type { KnownKey } from './authenticator.ts';

/** A root key as the configuration gives it. */
export interface ConfiguredKey {
  readonly key: string;
  readonly account: string;
  readonly creditsPurchasedUsd: number;
  readonly deny: readonly string[];
}

export interface RootKeysOptions {
  readonly configured: readonly ConfiguredKey[];
  readonly accounts: Pick<Accounts, 'ensure' | 'get'>;
  readonly keys: Pick<Keys, 'anyRootKey' | 'insertIfAbsent' | 'list'>;
  readonly family: string;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface RootKeys {
  readonly known: readonly KnownKey[];
  /** The key that this start made, because there was none; null otherwise. Its hash is on disk. */
  readonly created: string | null;
}

const defaultAccount = { id: 'default', name: 'default', creditsPurchasedUsd: 5_000 };
const secretBytes = 32;

/** Configured keys live in the configuration alone; a generated one lives in the store, as a hash. */
export async function loadRootKeys(options: RootKeysOptions): Promise<RootKeys> {
  const { configured, keys } = options;
  const known = await knowConfigured(options);
  const created = configured.length === 0 && !(await keys.anyRootKey()) ? await createRootKey(options) : null;
  const account = await options.accounts.get(defaultAccount.id);
  for (const { hash, kind, revokedAtMs, accountId } of await keys.list(defaultAccount.id)) {
    if (kind !== 'root' || revokedAtMs !== null || account === undefined) continue;
    known.push({ hash, accountId, creditsPurchasedUsd: account.creditsPurchasedUsd, denied: [] });
  }
  return { known, created };
}

async function knowConfigured({ configured, accounts, clock }: RootKeysOptions): Promise<KnownKey[]> {
  // Credits only grow, so every key of an account is read before any key's tier is known.
  for (const { account, creditsPurchasedUsd } of configured) {
    await accounts.ensure({ id: account, name: account, createdAtMs: clock.now(), creditsPurchasedUsd });
  }
  const known: KnownKey[] = [];
  for (const { key, account, deny } of configured) {
    const credits = (await accounts.get(account))?.creditsPurchasedUsd ?? 0;
    known.push({ hash: hashSecret(key), accountId: account, creditsPurchasedUsd: credits, denied: deny });
  }
  return known;
}

async function createRootKey({ accounts, keys, family, clock, ids }: RootKeysOptions): Promise<string> {
  const key = `${family}-${ids.secret(secretBytes)}`;
  const createdAtMs = clock.now();
  await accounts.ensure({ ...defaultAccount, createdAtMs });
  await keys.insertIfAbsent({
    hash: hashSecret(key),
    accountId: defaultAccount.id,
    kind: 'root',
    name: null,
    last4: key.slice(-4),
    createdAtMs,
  });
  return key;
}
