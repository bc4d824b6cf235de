import { Fault } from '../faults.ts';
import type { Account, Accounts } from '../storage/accounts.ts';
import { isRefusal } from '../storage/errors.ts';
import type { JobAdministration } from '../storage/jobs-administration.ts';
import type { Key, Keys } from '../storage/keys.ts';
import type { Processes, ServerProcess } from '../storage/processes.ts';
import type { Purchase, Purchases } from '../storage/purchases.ts';
import { createJobRecords, type JobRecords } from './job-records.ts';
import { oneOf, toKeyRecord, type KeyRecord } from './key-records.ts';
import { createKey, type KeyMaker } from './new-key.ts';
import { readPage, type Page, type PageRequest } from './page.ts';
import type { Spread } from './spread.ts';
import { tierOf } from './tiers.ts';
import { createUsageReports, type UsageReports } from './usage-reports.ts';
import type { Usage } from '../storage/usage.ts';

export type { KeyRecord };

export interface AccountRecord extends Account {
  /** 0 to 5, by the credits. */
  readonly tier: number;
}

export interface NewPurchase extends Pick<Purchase, 'accountId' | 'amountUsd'> {
  /** Chosen by whoever books it, so that it can be sent again. Without one, one is made. */
  readonly id?: string | undefined;
  readonly note?: string | undefined;
}

/** What an operator may do with accounts. Every method rejects with a Fault that says what is wrong. */
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
  readonly jobs: JobRecords;
  /** Server processes on this store that were heard of within the last minute. */
  processes(): Promise<readonly ServerProcess[]>;
}

export interface AdministrationOptions extends KeyMaker {
  readonly stores: {
    readonly accounts: Accounts;
    readonly keys: Keys;
    readonly purchases: Purchases;
    readonly usage: Usage;
    readonly processes: Processes;
    readonly jobs: JobAdministration;
  };
  readonly spread: Spread;
}

const seenWithinMs = 60_000;

export function createAdministration(options: AdministrationOptions): Administration {
  const { clock } = options;
  const { processes, usage, jobs } = options.stores;
  return {
    accounts: administerAccounts(options),
    purchases: administerPurchases(options),
    keys: administerKeys(options),
    usage: createUsageReports(usage),
    jobs: createJobRecords(jobs, clock),
    processes: () => processes.list(clock.now() - seenWithinMs),
  };
}

function administerAccounts({ stores, clock, ids }: AdministrationOptions): Administration['accounts'] {
  const { accounts } = stores;
  return {
    async create({ id = `acct-${ids.uuid()}`, name = id }) {
      const isNew = await accounts.create({ id, name, createdAtMs: clock.now() });
      if (!isNew) throw new Fault('conflict', 'an account of this id exists', { param: 'id' });
      return findAccount(accounts, id);
    },
    async list(page) {
      const { items, next } = await readPage(
        page,
        ['string'],
        ({ id }: Account) => [id],
        (after, limit) => accounts.list({ afterId: after?.[0] as string | undefined, limit }),
      );
      return { items: items.map(toAccountRecord), next };
    },
    get: (id) => findAccount(accounts, id),
    async rename(id, name) {
      const account = await accounts.rename(id, name);
      if (account === undefined) throw unknownAccount();
      return toAccountRecord(account);
    },
  };
}

function administerPurchases(options: AdministrationOptions): Administration['purchases'] {
  const { stores, clock, ids, spread } = options;
  const { accounts, purchases } = stores;
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
      // Also when it is known: the process that booked it may have died before it told the others.
      await spread.credits(accountId, creditsPurchasedUsd);
      return { purchase: booked, account: await findAccount(accounts, accountId), isNew };
    },
    async list(accountId, page) {
      await findAccount(accounts, accountId);
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

function administerKeys({ stores, spread, ...maker }: AdministrationOptions): Administration['keys'] {
  const { accounts, keys } = stores;
  return {
    async create(accountId, name) {
      await findAccount(accounts, accountId);
      const { secret, key } = createKey(maker, { accountId, kind: 'token', name });
      await keys.insertIfAbsent(key);
      return { secret, key: toKeyRecord({ ...key, revokedAtMs: null, lastUsedAtMs: null }) };
    },
    async list(accountId, page) {
      await findAccount(accounts, accountId);
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
      await findAccount(accounts, accountId);
      const key = oneOf(await keys.match(accountId, idOrLast4));
      await keys.revoke(key.hash, maker.clock.now());
      // Also when it was revoked before: whoever did may have died before telling the others.
      await spread.revocation(key.hash);
      return toKeyRecord((await keys.find(key.hash)) ?? key);
    },
  };
}

async function findAccount(accounts: Pick<Accounts, 'get'>, id: string): Promise<AccountRecord> {
  const account = await accounts.get(id);
  if (account === undefined) throw unknownAccount();
  return toAccountRecord(account);
}

function unknownAccount(): Fault {
  return new Fault('not_found', 'account not found');
}

function toAccountRecord(account: Account): AccountRecord {
  return { ...account, tier: tierOf(account.creditsPurchasedUsd) };
}
