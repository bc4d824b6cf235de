import { Fault } from '../../kernel/faults.ts';
import type { Account } from './store/accounts.ts';
import { isRefusal } from '../../kernel/store/errors.ts';
import type { AccountRemoval } from './account-removal.ts';
import type { Purchase } from './store/purchases.ts';
import { createKey, oneOf, tierOf, toKeyRecord, type KeyMaker, type KeyRecord } from './key-records.ts';
import { readPage, type Page, type PageRequest } from './page.ts';
import type { KeyInvalidation } from './key-invalidation.ts';
import type { Stores } from './stores.ts';
import type { UsageRow } from './store/usage-row.ts';
import type { TotalsQuery, UsageFilter, UsageTotal } from './store/usage-totals.ts';

export interface AccountRecord extends Account {
  /** 0 to 5, by the credits. */
  readonly tier: number;
  /** Size of everything stored for it, and the largest size allowed, in bytes. */
  readonly storedBytes: number;
  readonly storageQuotaBytes: number;
}

interface NewPurchase extends Pick<Purchase, 'accountId' | 'amountUsd'> {
  /** Chosen by the caller, so that the request can be repeated. Generated when it is missing. */
  readonly id?: string | undefined;
  readonly note?: string | undefined;
}

type TotalsRequest = UsageFilter & PageRequest & Pick<TotalsQuery, 'by' | 'withDurations'>;

interface AdministrationOptions extends KeyMaker {
  readonly stores: Stores;
  /** Largest size stored for one account, in bytes. */
  readonly storageQuotaBytes: number;
  readonly invalidation: KeyInvalidation;
  readonly removal: AccountRemoval;
  /** Accounts whose keys stand in the configuration, which alone can end them. */
  readonly configuredAccounts: readonly string[];
}

const seenWithinMs = 60_000;
const byTime = { createdAtMs: 'number', id: 'string' } as const;

export type Administration = ReturnType<typeof createAdministration>;

/** The operations of an operator on accounts. Every method rejects with a Fault that says what is wrong. */
export function createAdministration(options: AdministrationOptions) {
  const { clock, stores } = options;
  return {
    accounts: administerAccounts(options),
    purchases: administerPurchases(options),
    keys: administerKeys(options),
    usage: reportUsage(stores),
    /** Server processes on this store that were heard of within the last minute. */
    processes: () => stores.processes.list(clock.now() - seenWithinMs),
  };
}

function administerAccounts(options: AdministrationOptions) {
  const { clock, ids, invalidation, removal, configuredAccounts } = options;
  const { accounts, closed, storage } = options.stores;
  return {
    /** Fault `conflict` when there is one of this id. Without an id one is made. */
    async create({
      id = `acct-${ids.uuid()}`,
      name = id,
    }: {
      readonly id?: string | undefined;
      readonly name?: string | undefined;
    }): Promise<AccountRecord> {
      const before = await closed.find(id);
      if (before !== undefined && before.emptiedAtMs === null)
        throw new Fault('conflict', 'an account of this id is being deleted', { param: 'id' });
      await removal.finish(id);
      const isNew = await accounts.create({ id, name, createdAtMs: clock.now() });
      if (!isNew) throw new Fault('conflict', 'an account of this id exists', { param: 'id' });
      return findAccount(options, id);
    },
    async list(page: PageRequest): Promise<Page<AccountRecord>> {
      const { items, next } = await readPage(page, { id: 'string' }, ({ after, limit }) =>
        accounts.list({ afterId: after?.id, limit }),
      );
      const bytesOf = await storage.bytesOfAll(items.map(({ id }) => id));
      return { items: items.map((one) => toRecord(options, one, bytesOf.get(one.id) ?? 0)), next };
    },
    get: (id: string) => findAccount(options, id),
    async rename(id: string, name: string): Promise<AccountRecord> {
      return withBytes(options, await accounts.rename(id, name));
    },
    /**
     * Ends its keys in every process, then removes all that it has; its ledger stays unless that is asked for. False where the
     * signal came first: servers go on with it. Fault `conflict` for one whose keys are configured.
     */
    async remove(id: string, withLedger: boolean, signal: AbortSignal): Promise<boolean> {
      if (configuredAccounts.includes(id))
        throw new Fault('conflict', 'the configuration has a key of this account; remove it there first');
      const account = await closed.close(id, clock.now(), withLedger);
      // The ledger of one that went before is all there may be.
      if (account === undefined && !(withLedger && (await removal.hasRows(id)))) throw unknownAccount();
      await invalidation.closing(id);
      return removal.empty(id, withLedger || account?.forgetsLedger === 1, signal).then(
        () => true,
        (error: unknown) => {
          if (signal.aborted) return false;
          throw error;
        },
      );
    },
  };
}

function administerPurchases(options: AdministrationOptions) {
  const { clock, ids, invalidation } = options;
  const { purchases } = options.stores;
  return {
    /**
     * Books a purchase once, however often it is sent. Resolves when every process gives the account its new tier.
     * Fault `conflict` when a different purchase has this id.
     */
    async add({ id = `purchase-${ids.uuid()}`, accountId, amountUsd, note = '' }: NewPurchase) {
      const purchase = { id, accountId, amountUsd, note, createdAtMs: clock.now() };
      const { isNew, creditsPurchasedUsd } = await purchases.add(purchase).catch((error: unknown) => {
        if (isRefusal(error, 'foreign_key')) throw unknownAccount();
        throw error;
      });
      const booked = isNew ? purchase : await purchases.find(id);
      if (booked?.accountId !== accountId || booked.amountUsd !== amountUsd) {
        throw new Fault('conflict', 'another purchase has this id', { param: 'purchase_id' });
      }
      // Also when it is known: the process that booked it may have died before it published it.
      await invalidation.credits(accountId, creditsPurchasedUsd);
      return { purchase: booked, account: await findAccount(options, accountId), isNew };
    },
    async list(accountId: string, page: PageRequest): Promise<Page<Purchase>> {
      await findAccount(options, accountId);
      return readPage(page, byTime, (bounds) => purchases.list(accountId, bounds));
    },
  };
}

function administerKeys(options: AdministrationOptions) {
  const { stores, invalidation, ...maker } = options;
  const { keys } = stores;
  return {
    /** The secret is in this answer and nowhere else. */
    async create(accountId: string, name: string | null) {
      await findAccount(options, accountId);
      const { secret, key } = createKey(maker, { accountId, kind: 'token', name });
      await keys.insertIfAbsent(key);
      return { secret, key: toKeyRecord({ ...key, revokedAtMs: null, lastUsedAtMs: null }) };
    },
    async list(accountId: string, page: PageRequest): Promise<Page<KeyRecord>> {
      await findAccount(options, accountId);
      const { items, next } = await readPage(page, { createdAtMs: 'number', hash: 'string' }, (bounds) =>
        keys.list(accountId, bounds),
      );
      return { items: items.map(toKeyRecord), next };
    },
    /**
     * By id or by the last four characters. Resolves when no process takes the key any more. Fault `conflict` when
     * several unrevoked keys are meant.
     */
    async revoke(accountId: string, idOrLast4: string): Promise<KeyRecord> {
      await findAccount(options, accountId);
      const key = oneOf(await keys.match(accountId, idOrLast4));
      await keys.revoke(key.hash, maker.clock.now());
      // Also when it was revoked before: that process may have died before it published it.
      await invalidation.revocation(key.hash);
      return toKeyRecord((await keys.find(key.hash)) ?? key);
    },
  };
}

/** Rows reach the ledger within a second of their request. */
function reportUsage({ usage }: Stores) {
  return {
    async totals({ limit, pageToken, ...query }: TotalsRequest): Promise<Page<UsageTotal>> {
      const { items, next } = await readPage({ limit, pageToken }, { end: 'number' }, async (bounds) => {
        const offset = Math.max(0, bounds.after?.end ?? 0);
        const totals = await usage.totals({ ...query, limit: bounds.limit, offset });
        return totals.map((total, at) => ({ total, end: offset + at + 1 }));
      });
      return { items: items.map(({ total }) => total), next };
    },
    /** One row per billed request, oldest first. */
    rows: ({ limit, pageToken, ...filter }: UsageFilter & PageRequest): Promise<Page<UsageRow>> =>
      readPage({ limit, pageToken }, byTime, (bounds) => usage.page({ ...filter, ...bounds })),
  };
}

async function findAccount(options: AdministrationOptions, id: string): Promise<AccountRecord> {
  return withBytes(options, await options.stores.accounts.get(id));
}

async function withBytes(
  options: AdministrationOptions,
  account: Account | undefined,
): Promise<AccountRecord> {
  if (account === undefined) throw unknownAccount();
  return toRecord(options, account, await options.stores.storage.bytesOf(account.id));
}

function unknownAccount(): Fault {
  return new Fault('not_found', 'account not found');
}

function toRecord(
  { storageQuotaBytes }: AdministrationOptions,
  account: Account,
  storedBytes: number,
): AccountRecord {
  return { ...account, tier: tierOf(account.creditsPurchasedUsd), storedBytes, storageQuotaBytes };
}
