import { Fault } from '../../kernel/faults.ts';
import type { AccountStorage } from '../../kernel/store/account-storage.ts';
import type { Account, Accounts } from './store/accounts.ts';
import { isRefusal } from '../../kernel/store/errors.ts';
import type { Key, Keys } from './store/keys.ts';
import type { Processes, ServerProcess } from '../../kernel/store/processes.ts';
import type { Purchase, Purchases } from './store/purchases.ts';
import { oneOf, toKeyRecord, type KeyRecord } from './key-records.ts';
import { createKey, type KeyMaker } from './new-key.ts';
import { readPage, type Page, type PageRequest } from './page.ts';
import type { KeyInvalidation } from './key-invalidation.ts';
import { tierOf } from './tiers.ts';
import { createUsageReports, type UsageReports } from './usage-reports.ts';
import type { Usage } from './store/usage.ts';

export type { KeyRecord };

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

/** The operations of an operator on accounts. Every method rejects with a Fault that says what is wrong. */
export interface Administration {
  readonly accounts: {
    /** Fault `conflict` when there is one of this id. Without an id one is made. */
    create(account: {
      readonly id?: string | undefined;
      readonly name?: string | undefined;
    }): Promise<AccountRecord>;
    list(page: PageRequest): Promise<Page<AccountRecord>>;
    get(id: string): Promise<AccountRecord>;
    rename(id: string, name: string): Promise<AccountRecord>;
  };
  readonly purchases: {
    /**
     * Books a purchase once, however often it is sent. Resolves when every process gives the account its new tier.
     * Fault `conflict` when a different purchase has this id.
     */
    add(purchase: NewPurchase): Promise<{
      readonly purchase: Purchase;
      readonly account: AccountRecord;
      readonly isNew: boolean;
    }>;
    list(accountId: string, page: PageRequest): Promise<Page<Purchase>>;
  };
  readonly keys: {
    /** The secret is in this answer and nowhere else. */
    create(
      accountId: string,
      name: string | null,
    ): Promise<{ readonly key: KeyRecord; readonly secret: string }>;
    list(accountId: string, page: PageRequest): Promise<Page<KeyRecord>>;
    /**
     * By id or by the last four characters. Resolves when no process takes the key any more. Fault `conflict` when
     * several unrevoked keys are meant.
     */
    revoke(accountId: string, idOrLast4: string): Promise<KeyRecord>;
  };
  readonly usage: UsageReports;
  /** Server processes on this store that were heard of within the last minute. */
  processes(): Promise<readonly ServerProcess[]>;
}

interface AdministrationOptions extends KeyMaker {
  readonly stores: {
    readonly accounts: Accounts;
    readonly keys: Keys;
    readonly purchases: Purchases;
    readonly usage: Usage;
    readonly processes: Processes;
    readonly storage: AccountStorage;
  };
  /** Largest size stored for one account, in bytes. */
  readonly storageQuotaBytes: number;
  readonly invalidation: KeyInvalidation;
}

const seenWithinMs = 60_000;

export function createAdministration(options: AdministrationOptions): Administration {
  const { clock } = options;
  const { processes, usage } = options.stores;
  return {
    accounts: administerAccounts(options),
    purchases: administerPurchases(options),
    keys: administerKeys(options),
    usage: createUsageReports(usage),
    processes: () => processes.list(clock.now() - seenWithinMs),
  };
}

function administerAccounts(options: AdministrationOptions): Administration['accounts'] {
  const { stores, clock, ids } = options;
  const { accounts } = stores;
  return {
    async create({ id = `acct-${ids.uuid()}`, name = id }) {
      const isNew = await accounts.create({ id, name, createdAtMs: clock.now() });
      if (!isNew) throw new Fault('conflict', 'an account of this id exists', { param: 'id' });
      return findAccount(options, id);
    },
    async list(page) {
      const { items, next } = await readPage(
        page,
        ['string'],
        ({ id }: Account) => [id],
        (after, limit) => accounts.list({ afterId: after?.[0] as string | undefined, limit }),
      );
      return { items: await toRecords(options, items), next };
    },
    get: (id) => findAccount(options, id),
    async rename(id, name) {
      const account = await accounts.rename(id, name);
      if (account === undefined) throw unknownAccount();
      return toRecord(options, account);
    },
  };
}

function administerPurchases(options: AdministrationOptions): Administration['purchases'] {
  const { stores, clock, ids, invalidation } = options;
  const { purchases } = stores;
  return {
    async add({ id = `purchase-${ids.uuid()}`, accountId, amountUsd, note = '' }) {
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
    async list(accountId, page) {
      await findAccount(options, accountId);
      return readPage(
        page,
        ['number', 'string'],
        ({ createdAtMs, id }: Purchase) => [createdAtMs, id],
        (after, limit) =>
          purchases.list(accountId, {
            after: after && { createdAtMs: Number(after[0]), id: String(after[1]) },
            limit,
          }),
      );
    },
  };
}

function administerKeys(options: AdministrationOptions): Administration['keys'] {
  const { stores, invalidation, ...maker } = options;
  const { keys } = stores;
  return {
    async create(accountId, name) {
      await findAccount(options, accountId);
      const { secret, key } = createKey(maker, { accountId, kind: 'token', name });
      await keys.insertIfAbsent(key);
      return { secret, key: toKeyRecord({ ...key, revokedAtMs: null, lastUsedAtMs: null }) };
    },
    async list(accountId, page) {
      await findAccount(options, accountId);
      const { items, next } = await readPage(
        page,
        ['number', 'string'],
        ({ createdAtMs, hash }: Key) => [createdAtMs, hash],
        (after, limit) =>
          keys.list(accountId, {
            after: after && { createdAtMs: Number(after[0]), hash: String(after[1]) },
            limit,
          }),
      );
      return { items: items.map(toKeyRecord), next };
    },
    async revoke(accountId, idOrLast4) {
      await findAccount(options, accountId);
      const key = oneOf(await keys.match(accountId, idOrLast4));
      await keys.revoke(key.hash, maker.clock.now());
      // Also when it was revoked before: that process may have died before it published it.
      await invalidation.revocation(key.hash);
      return toKeyRecord((await keys.find(key.hash)) ?? key);
    },
  };
}

type RecordOptions = Pick<AdministrationOptions, 'stores' | 'storageQuotaBytes'>;

async function findAccount(options: RecordOptions, id: string): Promise<AccountRecord> {
  const account = await options.stores.accounts.get(id);
  if (account === undefined) throw unknownAccount();
  return toRecord(options, account);
}

function unknownAccount(): Fault {
  return new Fault('not_found', 'account not found');
}

async function toRecord(options: RecordOptions, account: Account): Promise<AccountRecord> {
  const storedBytes = await options.stores.storage.bytesOf(account.id);
  return toAccountRecord(options, account, storedBytes);
}

async function toRecords(
  options: RecordOptions,
  accounts: readonly Account[],
): Promise<readonly AccountRecord[]> {
  const bytesOf = await options.stores.storage.bytesOfAll(accounts.map(({ id }) => id));
  return accounts.map((account) => toAccountRecord(options, account, bytesOf.get(account.id) ?? 0));
}

function toAccountRecord(
  { storageQuotaBytes }: RecordOptions,
  account: Account,
  storedBytes: number,
): AccountRecord {
  return { ...account, tier: tierOf(account.creditsPurchasedUsd), storedBytes, storageQuotaBytes };
}
