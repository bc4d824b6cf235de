import type { Kysely, Selectable } from 'kysely';

import type { KeysTable, Schema } from '../../../kernel/store/schema.ts';
import { storeOf } from '../../../kernel/store/store.ts';

/** What is kept of a key. The key itself never comes here. */
export interface Key {
  /** SHA-256 of the key, 64 lower-case hex digits. */
  readonly hash: string;
  readonly accountId: string;
  /** `root` comes from the configuration, `token` was generated. */
  readonly kind: 'root' | 'token';
  readonly name: string | null;
  /** The last four characters, to distinguish keys in a list. */
  readonly last4: string;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
  /** Coarse: written in batches, and null until the first. */
  readonly lastUsedAtMs: number | null;
}

export type NewKey = Omit<Key, 'revokedAtMs' | 'lastUsedAtMs'>;

/** An unrevoked key with what admission needs of its account. */
interface ActiveKey extends Key {
  readonly revokedAtMs: null;
  readonly creditsPurchasedUsd: number;
}

interface KeyPage {
  readonly after?: Pick<Key, 'createdAtMs' | 'hash'> | undefined;
  readonly limit?: number;
}

export interface Keys {
  /** True when it was new. A known hash stays as it is, revoked or not, whatever its account. */
  insertIfAbsent(key: NewKey): Promise<boolean>;
  /** Any key, revoked or not. */
  find(hash: string): Promise<Key | undefined>;
  findActive(hash: string): Promise<ActiveKey | undefined>;
  /** Keys of an account, revoked ones too, oldest first, from after the one named. Without a limit: all. */
  list(accountId: string, page?: KeyPage): Promise<readonly Key[]>;
  /** Unrevoked root keys that are kept here, of all accounts. */
  listActiveRoots(): Promise<readonly ActiveKey[]>;
  /** Those of the hashes that are unrevoked. */
  filterActive(hashes: readonly string[]): Promise<readonly string[]>;
  /**
   * Keys of an account, revoked ones too, whose hash begins with the text or whose last four characters it is,
   * oldest first. A person who means one key checks that it is one.
   */
  match(accountId: string, idOrLast4: string): Promise<readonly Key[]>;
  /** True when this call revoked it; false when it was revoked before or is unknown. */
  revoke(hash: string, revokedAtMs: number): Promise<boolean>;
  /**
   * Notes that these were used, unless a later use is known. A key that another process is noting at this very
   * moment may be left out. Returns how many were noted.
   */
  touch(hashes: readonly string[], usedAtMs: number): Promise<number>;
  /** Whether an unrevoked root key exists. */
  anyRootKey(): Promise<boolean>;
}

/** `reader` is for lists; see `Database`. */
export function createKeys(db: Kysely<Schema>, reader = db): Keys {
  return {
    async insertIfAbsent(key) {
      refusePlainKey(key.hash);
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('keys')
        .values(toRow(key))
        .onConflict((conflict) => conflict.column('hash').doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    async find(hash) {
      const row = await db.selectFrom('keys').selectAll().where('hash', '=', hash).executeTakeFirst();
      return row && toKey(row);
    },

    async findActive(hash) {
      const row = await selectActive(db).where('hash', '=', hash).executeTakeFirst();
      return row && toActiveKey(row);
    },

    list: (accountId, page) => listKeys(reader, accountId, page),

    async listActiveRoots() {
      const rows = await selectActive(db).where('kind', '=', 'root').orderBy('hash').execute();
      return rows.map((row) => toActiveKey(row));
    },

    filterActive: (hashes) => filterActive(db, hashes),

    match: (accountId, idOrLast4) => matchKeys(db, accountId, idOrLast4),

    touch: (hashes, usedAtMs) => touchKeys(db, hashes, usedAtMs),

    async revoke(hash, revokedAtMs) {
      const { numUpdatedRows } = await db
        .updateTable('keys')
        .set({ revoked_at_ms: revokedAtMs })
        .where('hash', '=', hash)
        .where('revoked_at_ms', 'is', null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    async anyRootKey() {
      const row = await db
        .selectFrom('keys')
        .select('hash')
        .where('kind', '=', 'root')
        .where('revoked_at_ms', 'is', null)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

function selectActive(db: Kysely<Schema>) {
  return db
    .selectFrom('keys')
    .innerJoin('accounts', 'accounts.id', 'keys.account_id')
    .selectAll('keys')
    .select('accounts.credits_purchased_usd')
    .where('revoked_at_ms', 'is', null);
}

async function listKeys(
  db: Kysely<Schema>,
  accountId: string,
  { after, limit }: KeyPage = {},
): Promise<readonly Key[]> {
  let query = db.selectFrom('keys').selectAll().where('account_id', '=', accountId);
  if (after !== undefined) {
    const { createdAtMs, hash } = after;
    query = query.where((eb) => eb(eb.refTuple('created_at_ms', 'hash'), '>', eb.tuple(createdAtMs, hash)));
  }
  if (limit !== undefined) query = query.limit(limit);
  const rows = await query.orderBy('created_at_ms').orderBy('hash').execute();
  return rows.map((row) => toKey(row));
}

async function filterActive(db: Kysely<Schema>, hashes: readonly string[]): Promise<readonly string[]> {
  if (hashes.length === 0) return [];
  const rows = await db
    .selectFrom('keys')
    .select('hash')
    .where('hash', 'in', hashes)
    .where('revoked_at_ms', 'is', null)
    .execute();
  return rows.map(({ hash }) => hash);
}

async function matchKeys(db: Kysely<Schema>, accountId: string, idOrLast4: string): Promise<readonly Key[]> {
  const isPrefix = /^[0-9a-f]{4,64}$/.test(idOrLast4);
  const rows = await db
    .selectFrom('keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where((eb) =>
      eb.or([eb('last4', '=', idOrLast4), ...(isPrefix ? [eb('hash', 'like', `${idOrLast4}%`)] : [])]),
    )
    .orderBy('created_at_ms')
    .orderBy('hash')
    .execute();
  return rows.map((row) => toKey(row));
}

/** Bounds the parameters of one statement. */
const touchMax = 500;

async function touchKeys(db: Kysely<Schema>, hashes: readonly string[], usedAtMs: number): Promise<number> {
  let touched = 0;
  for (let from = 0; from < hashes.length; from += touchMax) {
    touched += await touchSome(db, hashes.slice(from, from + touchMax), usedAtMs);
  }
  return touched;
}

async function touchSome(db: Kysely<Schema>, hashes: readonly string[], usedAtMs: number): Promise<number> {
  const stale = db
    .selectFrom('keys')
    .select('hash')
    .where('hash', 'in', hashes)
    .where((eb) => eb.or([eb('last_used_at_ms', 'is', null), eb('last_used_at_ms', '<', usedAtMs)]));
  // Two processes that lock the same keys in different order would wait for each other. SQLite has one writer.
  const own = storeOf(db) === 'postgres' ? stale.forUpdate().skipLocked() : stale;
  const { numUpdatedRows } = await db
    .updateTable('keys')
    .set({ last_used_at_ms: usedAtMs })
    .where('hash', 'in', own)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

function refusePlainKey(hash: string): void {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new TypeError('a key is stored as its SHA-256 in hex only');
}

function toRow(key: NewKey): Selectable<KeysTable> {
  return {
    hash: key.hash,
    account_id: key.accountId,
    kind: key.kind,
    name: key.name,
    last4: key.last4,
    created_at_ms: key.createdAtMs,
    revoked_at_ms: null,
    last_used_at_ms: null,
  };
}

function toActiveKey(row: Selectable<KeysTable> & { readonly credits_purchased_usd: number }): ActiveKey {
  return { ...toKey(row), revokedAtMs: null, creditsPurchasedUsd: row.credits_purchased_usd };
}

function toKey(row: Selectable<KeysTable>): Key {
  return {
    hash: row.hash,
    accountId: row.account_id,
    kind: row.kind,
    name: row.name,
    last4: row.last4,
    createdAtMs: row.created_at_ms,
    revokedAtMs: row.revoked_at_ms,
    lastUsedAtMs: row.last_used_at_ms,
  };
}
