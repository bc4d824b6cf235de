import type { Kysely, Selection } from 'kysely';

import { Corpus } from '../../search/feature.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { transact } from '../../../kernel/store/transact.ts';
import { changedRows, changesOne } from '../../../kernel/store/changed-rows.ts';

const columns = [
  'id',
  'kind',
  'location',
  'options',
  'every_ms as everyMs',
  'added_at_ms as addedAtMs',
  'begun_at_ms as begunAtMs',
  'refreshed_at_ms as refreshedAtMs',
  'due_at_ms as dueAtMs',
  'outcome',
  'set_aside as setAside',
  'account_id as accountId',
] as const;

/**
 * `kind` is a word of the indexer, `location` a path or an address; `options` and `outcome` are JSON. An empty account
 * stands for all.
 */
export type SourceRow = Readonly<Selection<Schema, 'corpus_sources', (typeof columns)[number]>>;

export type NewSource = Pick<SourceRow, 'id' | 'kind' | 'location' | 'options' | 'everyMs' | 'addedAtMs'> &
  Partial<Pick<SourceRow, 'accountId'>>;

interface SourceLease {
  readonly owner: string;
  readonly nowMs: number;
  readonly untilMs: number;
}

export interface FrontierRow {
  readonly url: string;
  readonly depth: number;
}

const removedAtOnce = 100;

/** Sources of documents, and the addresses of each that are still to be fetched. */
export class CorpusSources {
  readonly #db: Kysely<Schema>;
  readonly #reader: Kysely<Schema>;

  /** `reader` is for lists; see `Database`. */
  constructor(db: Kysely<Schema>, reader = db) {
    this.#db = db;
    this.#reader = reader;
  }

  /** Adds a source, or gives the one of this place other options. One that was set aside is read again. */
  async ensure({
    id,
    kind,
    location,
    options,
    everyMs,
    addedAtMs,
    accountId = '',
  }: NewSource): Promise<SourceRow> {
    const due = everyMs === null ? null : addedAtMs + everyMs;
    const changing = { kind, options, every_ms: everyMs, due_at_ms: due, set_aside: null };
    return this.#db
      .insertInto('corpus_sources')
      .values({ id, location, account_id: accountId, added_at_ms: addedAtMs, ...changing })
      .onConflict((conflict) => conflict.columns(['account_id', 'location']).doUpdateSet(changing))
      .returning(columns)
      .executeTakeFirstOrThrow();
  }

  /** Those of one account alone, or of all accounts where none is named. */
  list(accountId: string | null = null): Promise<readonly SourceRow[]> {
    const all = this.#reader.selectFrom('corpus_sources').select(columns);
    const wanted = accountId === null ? all : all.where('account_id', '=', accountId);
    return wanted.orderBy('added_at_ms').orderBy('id').execute();
  }

  /** Ids are those of one source; one location may be a source of several accounts. */
  find(idOrLocation: string, accountId = ''): Promise<SourceRow | undefined> {
    return this.#db
      .selectFrom('corpus_sources')
      .select(columns)
      .where((eb) =>
        eb.or([
          eb('id', '=', idOrLocation),
          eb.and([eb('location', '=', idOrLocation), eb('account_id', '=', accountId)]),
        ]),
      )
      .executeTakeFirst();
  }

  async hasAccount(id: string): Promise<boolean> {
    const found = this.#reader.selectFrom('accounts').select('id').where('id', '=', id);
    return (await found.where('closed_at_ms', 'is', null).executeTakeFirst()) !== undefined;
  }

  /** With all of its documents. */
  async remove(id: string): Promise<void> {
    const corpus = new Corpus(this.#db);
    // In pieces: all at once would keep other writers waiting for seconds.
    while ((await corpus.removeUnseen(id, Number.MAX_SAFE_INTEGER, removedAtOnce)) > 0);
    await transact(this.#db, async (transaction) => {
      await new Corpus(transaction).removeUnseen(id, Number.MAX_SAFE_INTEGER, removedAtOnce);
      await transaction.deleteFrom('corpus_sources').where('id', '=', id).execute();
    });
  }

  /** Keeps a source without its documents and outcome, with other options. */
  async clear(id: string, options: string): Promise<void> {
    await this.#db
      .updateTable('corpus_sources')
      .set({ options, outcome: null })
      .where('id', '=', id)
      .execute();
    const corpus = new Corpus(this.#db);
    while ((await corpus.removeUnseen(id, Number.MAX_SAFE_INTEGER, removedAtOnce)) > 0);
  }

  /** False while another process refreshes it. One owner may take it again and again. */
  lease(id: string, { owner, nowMs, untilMs }: SourceLease): Promise<boolean> {
    const taken = this.#db
      .updateTable('corpus_sources')
      .set({ lease_owner: owner, lease_until_ms: untilMs })
      .where('id', '=', id)
      .where((eb) =>
        eb.or([
          eb('lease_owner', 'is', null),
          eb('lease_owner', '=', owner),
          eb('lease_until_ms', '<', nowMs),
        ]),
      );
    return changesOne(taken);
  }

  async release(id: string, owner: string): Promise<void> {
    await this.#db
      .updateTable('corpus_sources')
      .set({ lease_owner: null, lease_until_ms: null })
      .where('id', '=', id)
      .where('lease_owner', '=', owner)
      .execute();
  }

  /** The first source that is due and not being refreshed. */
  due(nowMs: number): Promise<SourceRow | undefined> {
    return this.#db
      .selectFrom('corpus_sources')
      .select(columns)
      .where('due_at_ms', '<=', nowMs)
      .where('set_aside', 'is', null)
      .where((eb) => eb.or([eb('lease_owner', 'is', null), eb('lease_until_ms', '<', nowMs)]))
      .orderBy('due_at_ms')
      .executeTakeFirst();
  }

  /** Ids of sources that some process is reading. */
  async leased(nowMs: number): Promise<ReadonlySet<string>> {
    const rows = await this.#db
      .selectFrom('corpus_sources')
      .select('id')
      .where('lease_owner', 'is not', null)
      .where('lease_until_ms', '>=', nowMs)
      .execute();
    return new Set(rows.map(({ id }) => id));
  }

  /** Says when it is due; null: no server reads it by itself. One that fails must not keep the others from their turn. */
  async postpone(id: string, untilMs: number | null): Promise<void> {
    await this.#db.updateTable('corpus_sources').set({ due_at_ms: untilMs }).where('id', '=', id).execute();
  }

  /** Notes that a refresh begins, unless one that began after `staleBeforeMs` was broken off. Resolves to its start. */
  begin(
    id: string,
    nowMs: number,
    staleBeforeMs: number,
  ): Promise<{ readonly begunAtMs: number; readonly isNew: boolean }> {
    return transact(this.#db, async (transaction) => {
      const { begun_at_ms: begun } = await transaction
        .selectFrom('corpus_sources')
        .select('begun_at_ms')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      if (begun !== null && begun >= staleBeforeMs) return { begunAtMs: begun, isNew: false };
      await transaction.deleteFrom('corpus_frontier').where('source_id', '=', id).execute();
      await transaction
        .updateTable('corpus_sources')
        .set({ begun_at_ms: nowMs })
        .where('id', '=', id)
        .execute();
      return { begunAtMs: nowMs, isNew: true };
    });
  }

  async finish(id: string, nowMs: number, outcome: string): Promise<void> {
    await transact(this.#db, async (transaction) => {
      await transaction.deleteFrom('corpus_frontier').where('source_id', '=', id).execute();
      await transaction
        .updateTable('corpus_sources')
        .set((eb) => ({
          begun_at_ms: null,
          refreshed_at_ms: nowMs,
          due_at_ms: eb('every_ms', '+', nowMs),
          outcome,
        }))
        .where('id', '=', id)
        .execute();
    });
  }

  /** Adds addresses that are not there yet. Resolves to their number. */
  async push(id: string, rows: readonly FrontierRow[]): Promise<number> {
    let added = 0;
    for (let at = 0; at < rows.length; at += 200) {
      const values = rows.slice(at, at + 200).map(({ url, depth }) => ({ source_id: id, url, depth }));
      const insertion = this.#db.insertInto('corpus_frontier').values(values);
      added += await changedRows(
        insertion.onConflict((conflict) => conflict.columns(['source_id', 'url']).doNothing()),
      );
    }
    return added;
  }

  /** Addresses that are not done, the least deep first. */
  next(id: string, countMax: number): Promise<readonly FrontierRow[]> {
    return this.#db
      .selectFrom('corpus_frontier')
      .select(['url', 'depth'])
      .where('source_id', '=', id)
      .where('is_done', '=', 0)
      .orderBy('depth')
      .orderBy('url')
      .limit(countMax)
      .execute();
  }

  async done(id: string, urls: readonly string[]): Promise<void> {
    if (urls.length === 0) return;
    await this.#db
      .updateTable('corpus_frontier')
      .set({ is_done: 1 })
      .where('source_id', '=', id)
      .where('url', 'in', [...urls])
      .execute();
  }

  /** Counts all of them, so it is called once and not for each page. */
  async frontierSize(id: string): Promise<{ readonly all: number; readonly done: number }> {
    const { all, done } = await this.#db
      .selectFrom('corpus_frontier')
      .select((eb) => [eb.fn.countAll<number>().as('all'), eb.fn.sum<number | null>('is_done').as('done')])
      .where('source_id', '=', id)
      .executeTakeFirstOrThrow();
    return { all, done: done ?? 0 };
  }
}
