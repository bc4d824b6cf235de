import { sql, type Kysely, type Selection } from 'kysely';

import { changedRows, changesOne } from '../../../kernel/store/changed-rows.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { storeNow } from '../../../kernel/store/store.ts';
import { withDecider, type OfDecider } from './learning.ts';

/**
 * - **running**: from its start; a process holds its lease.
 * - **taken**: something was surely better. The newest of these is in use.
 * - **not_better**: nothing was; the decider stays as it is.
 * - **failed**: it did not come to its end.
 * - **cancelled**: the account ended it.
 * - **rolled_back**: it was taken, and is no longer in use.
 */
export type FitState = 'running' | 'taken' | 'not_better' | 'failed' | 'cancelled' | 'rolled_back';

const columns = [
  'ordinal',
  'id',
  'decider',
  'state',
  'report',
  'error',
  'created_at_ms as createdAtMs',
  'ended_at_ms as endedAtMs',
] as const;
type Row = Selection<Schema, 'decider_fits', (typeof columns)[number]>;
/** `report` is JSON. */
export type FitRow = Readonly<Omit<Row, 'state'>> & { readonly state: FitState };

export interface NewFit extends OfDecider {
  readonly id: string;
  readonly createdAtMs: number;
}

/** Which process runs it, and for how long without a renewal. */
export interface FitLease {
  readonly owner: string;
  readonly leaseMs: number;
}

/** How a fit ended. */
export interface FitEnd {
  readonly state: 'taken' | 'not_better' | 'failed';
  /** JSON. */
  readonly heads: string | null;
  /** JSON. */
  readonly report: string | null;
  readonly error: string | null;
  readonly learnedTo: number | null;
  readonly endedAtMs: number;
}

/** How many earlier ones of a decider are kept: those that were taken, and all others. */
export interface FitBounds {
  readonly takenMax: number;
  readonly othersMax: number;
}

/** Why a fit failed that did not end by itself. */
const interrupted = 'The server ended before the fit did';
const superseded = 'Another fit was put in use or rolled back meanwhile';

export type FitStore = ReturnType<typeof createFitStore>;

const newest = (connection: Kysely<Schema>, { accountId, decider }: OfDecider) =>
  connection
    .selectFrom('decider_fits')
    .where('account_id', '=', accountId)
    .where('decider', '=', decider)
    .orderBy('ordinal', 'desc');
const taken = (connection: Kysely<Schema>, of: OfDecider) =>
  newest(connection, of).where('state', '=', 'taken' satisfies FitState);

/** Fits of deciders. `reader` is for everything that only reads; see `Database`. */
export function createFitStore(db: Kysely<Schema>, reader = db) {
  return { ...readers(reader), ...begins(db), ...ends(db), ...counts(db), ...leases(db) };
}

function readers(reader: Kysely<Schema>) {
  return {
    /** Newest first. */
    list: async (of: OfDecider): Promise<readonly FitRow[]> =>
      (await newest(reader, of).select(columns).execute()).map(toRow),

    async find(of: OfDecider, id: string): Promise<FitRow | null> {
      const row = await newest(reader, of).select(columns).where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toRow(row);
    },

    /** The one in use, and what it learned from; null where nothing was learned. */
    current: async (of: OfDecider) =>
      (await taken(reader, of).select(['id', 'heads', 'learned_to as learnedTo']).executeTakeFirst()) ?? null,

    /** What was counted of the answers of the one in use, as JSON; null where nothing was. */
    drift: async (of: OfDecider): Promise<string | null> =>
      (await taken(reader, of).select('drift').executeTakeFirst())?.drift ?? null,

    /** Null of one that is gone or no longer taken. */
    heads: async (accountId: string, id: string): Promise<string | null> => {
      const row = await reader
        .selectFrom('decider_fits')
        .select('heads')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst();
      return row?.heads ?? null;
    },
  };
}

function begins(db: Kysely<Schema>) {
  return {
    /** Null without a decider, `busy` while another of the account runs. */
    begin: (
      { id, accountId, decider, createdAtMs }: NewFit,
      { owner, leaseMs }: FitLease,
      bounds: FitBounds,
    ): Promise<'begun' | 'busy' | null> =>
      withDecider(db, { accountId, decider }, async (transaction) => {
        const running = transaction
          .selectFrom('decider_fits')
          .select('id')
          .where('account_id', '=', accountId)
          .where('state', '=', 'running' satisfies FitState);
        if ((await running.executeTakeFirst()) !== undefined) return 'busy';
        await forgetOld(transaction, { accountId, decider }, bounds);
        await transaction
          .insertInto('decider_fits')
          .values({
            id,
            account_id: accountId,
            decider,
            state: 'running' satisfies FitState,
            created_at_ms: createdAtMs,
            lease_owner: owner,
            lease_until_ms: sql<number>`${storeNow(transaction)} + ${leaseMs}`,
          })
          .execute();
        return 'begun';
      }),
  };
}

function ends(db: Kysely<Schema>) {
  return {
    /**
     * Ends one that runs. One that is to be taken fails where `after` is no longer in use. Null where it has ended or is
     * gone.
     */
    end: (
      of: OfDecider,
      id: string,
      { learnedTo, endedAtMs, ...end }: FitEnd,
      after: string | null,
    ): Promise<FitState | null> =>
      withDecider(db, of, async (transaction) => {
        const current = await taken(transaction, of).select('id').executeTakeFirst();
        const isLate = end.state === 'taken' && (current?.id ?? null) !== after;
        const ended = isLate ? { ...failed, error: superseded } : { ...end, learned_to: learnedTo };
        const changes = { ...ended, ...endOfLease, ended_at_ms: endedAtMs };
        const isChanged = await changesOne(running(transaction).set(changes).where('id', '=', id));
        return isChanged ? ended.state : null;
      }),

    /** False where it does not run. */
    cancel: ({ accountId, decider }: OfDecider, id: string, endedAtMs: number): Promise<boolean> =>
      changesOne(
        running(db)
          .set({ state: 'cancelled' satisfies FitState, ...endOfLease, ended_at_ms: endedAtMs })
          .where('account_id', '=', accountId)
          .where('decider', '=', decider)
          .where('id', '=', id),
      ),

    /** Drops the one in use, so that the one before it is. False where there is none. */
    async rollback(of: OfDecider): Promise<boolean> {
      const isDropped = await withDecider(db, of, async (transaction) => {
        const current = await taken(transaction, of).select('ordinal').executeTakeFirst();
        if (current === undefined) return false;
        const changes = { state: 'rolled_back' satisfies FitState, heads: null };
        return changesOne(
          transaction.updateTable('decider_fits').set(changes).where('ordinal', '=', current.ordinal),
        );
      });
      return isDropped ?? false;
    },
  };
}

function counts(db: Kysely<Schema>) {
  return {
    /** Changes what was counted of the answers of a fit, one process after the other. False where it is not in use. */
    async countDrift(of: OfDecider, id: string, change: (known: string | null) => string): Promise<boolean> {
      const isChanged = await withDecider(db, of, async (transaction) => {
        const current = await taken(transaction, of).select(['id', 'drift']).executeTakeFirst();
        if (current?.id !== id) return false;
        return changesOne(
          transaction
            .updateTable('decider_fits')
            .set({ drift: change(current.drift) })
            .where('id', '=', id),
        );
      });
      return isChanged ?? false;
    },
  };
}

function leases(db: Kysely<Schema>) {
  return {
    /** Of these of one process, those that still run. */
    async renew(ids: readonly string[], { owner, leaseMs }: FitLease): Promise<readonly string[]> {
      if (ids.length === 0) return [];
      const rows = await running(db)
        .set({ lease_until_ms: sql<number>`${storeNow(db)} + ${leaseMs}` })
        .where('lease_owner', '=', owner)
        .where('id', 'in', ids)
        .returning('id')
        .execute();
      return rows.map(({ id }) => id);
    },

    /** Ends those whose lease is over. With `exceptOwner`: all but its own, whatever their leases. */
    endAbandoned(endedAtMs: number, exceptOwner: string | null): Promise<number> {
      const ended = running(db).set({
        ...failed,
        ...endOfLease,
        error: interrupted,
        ended_at_ms: endedAtMs,
      });
      return changedRows(
        exceptOwner === null
          ? ended.where('lease_until_ms', '<', storeNow(db))
          : ended.where('lease_owner', '!=', exceptOwner),
      );
    },
  };
}

const failed = { state: 'failed' satisfies FitState, heads: null, report: null } as const;
const endOfLease = { lease_owner: null, lease_until_ms: null } as const;

const running = (db: Kysely<Schema>) =>
  db.updateTable('decider_fits').where('state', '=', 'running' satisfies FitState);

async function forgetOld(
  db: Kysely<Schema>,
  of: OfDecider,
  { takenMax, othersMax }: FitBounds,
): Promise<void> {
  const kept = [
    taken(db, of).select('ordinal').limit(takenMax),
    newest(db, of)
      .select('ordinal')
      .where('state', '!=', 'taken' satisfies FitState)
      .limit(othersMax),
  ];
  const ordinals: number[] = [];
  for (const one of kept) ordinals.push(...(await one.execute()).map(({ ordinal }) => ordinal));
  let old = db
    .deleteFrom('decider_fits')
    .where('account_id', '=', of.accountId)
    .where('decider', '=', of.decider);
  if (ordinals.length > 0) old = old.where('ordinal', 'not in', ordinals);
  await old.execute();
}

/** Written here alone. */
const toRow = (row: Row): FitRow => ({ ...row, state: row.state as FitState });
