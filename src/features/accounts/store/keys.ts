import type { Kysely, Selection } from 'kysely';

import type { Schema } from '../../../kernel/store/schema.ts';
import { storeOf } from '../../../kernel/store/store.ts';
import { changedRows, changesOne } from '../../../kernel/store/changed-rows.ts';

const columns = [
  'keys.hash',
  'keys.account_id as accountId',
  'keys.kind',
  'keys.name',
  'keys.last4',
  'keys.created_at_ms as createdAtMs',
  'keys.revoked_at_ms as revokedAtMs',
  'keys.last_used_at_ms as lastUsedAtMs',
] as const;
/** `root` comes from the configuration, `token` was generated. `lastUsedAtMs` is coarse: written in batches. */
export type Key = Readonly<Selection<Schema, 'keys', (typeof columns)[number]>>;
export type NewKey = Omit<Key, 'revokedAtMs' | 'lastUsedAtMs'>;

interface KeyPage {
  readonly after?: Pick<Key, 'createdAtMs' | 'hash'> | undefined;
  readonly limit?: number;
}

export type Keys = ReturnType<typeof createKeys>;

/** `reader` is for lists; see `Database`. */
export function createKeys(db: Kysely<Schema>, reader = db) {
  return {
    /** True when it was new. A known hash stays as it is, revoked or not, whatever its account. */
    async insertIfAbsent({ hash, accountId, kind, name, last4, createdAtMs }: NewKey): Promise<boolean> {
      if (!/^[0-9a-f]{64}$/.test(hash)) throw new TypeError('a key is stored as its SHA-256 in hex only');
      const key = { hash, account_id: accountId, kind, name, last4, created_at_ms: createdAtMs };
      const insertion = db.insertInto('keys').values(key);
      return changesOne(insertion.onConflict((conflict) => conflict.column('hash').doNothing()));
    },

    /** Any key, revoked or not. */
    find: (hash: string): Promise<Key | undefined> =>
      db.selectFrom('keys').select(columns).where('hash', '=', hash).executeTakeFirst(),

    /** An unrevoked key with the credits of its account. */
    findActive: (hash: string) => selectActive(db).where('hash', '=', hash).executeTakeFirst(),

    /** Keys of an account, revoked ones too, oldest first, from after the one named. Without a limit: all. */
    list(accountId: string, { after, limit }: KeyPage = {}): Promise<Key[]> {
      let query = selectOf(reader, accountId);
      if (after !== undefined) {
        const { createdAtMs, hash } = after;
        query = query.where((eb) =>
          eb(eb.refTuple('created_at_ms', 'hash'), '>', eb.tuple(createdAtMs, hash)),
        );
      }
      return (limit === undefined ? query : query.limit(limit)).execute();
    },

    /** Unrevoked root keys that are kept here, of all accounts. */
    listActiveRoots: () => selectActive(db).where('kind', '=', 'root').orderBy('hash').execute(),

    /** Those of the hashes that are unrevoked. */
    async filterActive(hashes: readonly string[]): Promise<readonly string[]> {
      if (hashes.length === 0) return [];
      const rows = await selectActive(db).where('hash', 'in', hashes).execute();
      return rows.map(({ hash }) => hash);
    },

    /**
     * Keys of an account, revoked ones too, whose hash begins with the text or whose last four characters it is,
     * oldest first. A person who means one key checks that it is one.
     */
    match: (accountId: string, idOrLast4: string): Promise<Key[]> =>
      selectOf(db, accountId)
        .where((eb) => {
          const isPrefix = /^[0-9a-f]{4,64}$/.test(idOrLast4);
          return eb.or([
            eb('last4', '=', idOrLast4),
            ...(isPrefix ? [eb('hash', 'like', `${idOrLast4}%`)] : []),
          ]);
        })
        .execute(),

    /**
     * Notes that these were used, unless a later use is known. A key that another process is noting at this very
     * moment may be left out. Returns how many were noted.
     */
    async touch(hashes: readonly string[], usedAtMs: number): Promise<number> {
      let touched = 0;
      for (let from = 0; from < hashes.length; from += touchMax)
        touched += await touchSome(db, hashes.slice(from, from + touchMax), usedAtMs);
      return touched;
    },

    /** True when this call revoked it; false when it was revoked before or is unknown. */
    revoke(hash: string, revokedAtMs: number): Promise<boolean> {
      const unrevoked = db.updateTable('keys').where('hash', '=', hash).where('revoked_at_ms', 'is', null);
      return changesOne(unrevoked.set({ revoked_at_ms: revokedAtMs }));
    },
  };
}

/** Oldest first. */
function selectOf(db: Kysely<Schema>, accountId: string) {
  const keys = db.selectFrom('keys').select(columns).where('account_id', '=', accountId);
  return keys.orderBy('created_at_ms').orderBy('hash');
}

function selectActive(db: Kysely<Schema>) {
  return db
    .selectFrom('keys')
    .innerJoin('accounts', 'accounts.id', 'keys.account_id')
    .select([...columns, 'accounts.credits_purchased_usd as creditsPurchasedUsd'])
    .where('revoked_at_ms', 'is', null)
    .where('accounts.closed_at_ms', 'is', null);
}

/** Bounds the parameters of one statement. */
const touchMax = 500;

function touchSome(db: Kysely<Schema>, hashes: readonly string[], usedAtMs: number): Promise<number> {
  const stale = db
    .selectFrom('keys')
    .select('hash')
    .where('hash', 'in', hashes)
    .where((eb) => eb.or([eb('last_used_at_ms', 'is', null), eb('last_used_at_ms', '<', usedAtMs)]));
  // Two processes that lock the same keys in different order would wait for each other. SQLite has one writer.
  const own = storeOf(db) === 'postgres' ? stale.forUpdate().skipLocked() : stale;
  return changedRows(db.updateTable('keys').set({ last_used_at_ms: usedAtMs }).where('hash', 'in', own));
}
