import type { Config } from '../../kernel/config.ts';
import type { AccountRemoval } from './account-removal.ts';
import { hashSecret } from '../../kernel/kit/ids.ts';
import type { Accounts } from './store/accounts.ts';
import type { Keys } from './store/keys.ts';
import type { KnownKey } from './known-roots.ts';
import { createKey, type KeyMaker } from './key-records.ts';

interface RootKeysOptions extends KeyMaker {
  readonly configured: Config['keys'];
  readonly accounts: Pick<Accounts, 'ensure' | 'get'>;
  readonly keys: Pick<Keys, 'insertIfAbsent' | 'listActiveRoots'>;
  /** One that was deleted and is named again begins anew. */
  readonly removal: Pick<AccountRemoval, 'finish'>;
}

const defaultAccount = { id: 'default', name: 'default', creditsPurchasedUsd: 5_000 };

/**
 * Root keys of the configuration, and those of the store, which has only their hashes. `created` is the key that this
 * start made because there was none, else null.
 */
export async function loadRootKeys(options: RootKeysOptions) {
  const { configured, keys } = options;
  const known = await knowConfigured(options);
  let stored = await keys.listActiveRoots();
  const isFirst = configured.length === 0 && stored.length === 0;
  const created = isFirst ? await createRootKey(options) : null;
  if (isFirst) stored = await keys.listActiveRoots();
  for (const { hash, accountId, creditsPurchasedUsd } of stored) {
    known.push({ hash, accountId, creditsPurchasedUsd, denied: [], isStored: true });
  }
  return { known, created };
}

async function knowConfigured({
  configured,
  accounts,
  removal,
  clock,
}: RootKeysOptions): Promise<KnownKey[]> {
  // Credits only grow, so every key of an account is read before any key's tier is known.
  for (const { account, creditsPurchasedUsd } of configured) {
    await removal.finish(account);
    // The configuration has no names: one that was given since stays.
    const name = (await accounts.get(account))?.name ?? account;
    await accounts.ensure({ id: account, name, createdAtMs: clock.now(), creditsPurchasedUsd });
  }
  const known: KnownKey[] = [];
  for (const { key, account, deny } of configured) {
    const creditsPurchasedUsd = (await accounts.get(account))?.creditsPurchasedUsd ?? 0;
    known.push({
      hash: hashSecret(key),
      accountId: account,
      creditsPurchasedUsd,
      denied: deny,
      isStored: false,
    });
  }
  return known;
}

async function createRootKey({ accounts, keys, removal, ...maker }: RootKeysOptions): Promise<string> {
  await removal.finish(defaultAccount.id);
  const name = (await accounts.get(defaultAccount.id))?.name ?? defaultAccount.name;
  await accounts.ensure({ ...defaultAccount, name, createdAtMs: maker.clock.now() });
  const { secret, key } = createKey(maker, { accountId: defaultAccount.id, kind: 'root', name: null });
  await keys.insertIfAbsent(key);
  return secret;
}
