import { sql, type Kysely } from 'kysely';

import { storeNow, storeOf } from '../../../kernel/store/store.ts';
import type { RunFile, RunLease, StoredEnd, StoredEvents, StoredRun } from '../run-store.ts';
import { holdConversation } from './conversations.ts';
import { appendEvents, chunked, endResponse } from './response-end.ts';
import { packText, unpackText } from '../../../kernel/store/packed-text.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { changedRows, changesOne } from '../../../kernel/store/changed-rows.ts';

const chainMax = 1_000;
const columns = [
  'responses.id',
  'account_id as accountId',
  'status',
  'is_stored as isStored',
  'previous_id as previousId',
  'input',
  'response',
  'last_sequence as lastSequence',
  'created_at_ms as createdAtMs',
  'ended_at_ms as endedAtMs',
  'expires_at_ms as expiresAtMs',
] as const;
const fileColumns = ['id', 'filename', 'bytes', 'created_at_ms as createdAtMs'] as const;

const toRun = <Row extends { readonly isStored: number }>(row: Row) => ({
  ...row,
  isStored: row.isStored === 1,
});

/** Runs as the store keeps them. Those past their time are not found. */
export type RunStore = ReturnType<typeof createResponses>;

export function createResponses(db: Kysely<Schema>) {
  return { ...readers(db), ...writers(db), ...maintenance(db) };
}

function readers(db: Kysely<Schema>) {
  return {
    async find(accountId: string, id: string, nowMs: number): Promise<StoredRun | undefined> {
      const row = await db
        .selectFrom('responses')
        .select(columns)
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .where('expires_at_ms', '>', nowMs)
        .executeTakeFirst();
      return row && toRun(row);
    },
    /** The run and all that it follows, the first one first; cut after 1,000. */
    chain: (accountId: string, id: string, nowMs: number) => readChain(db, accountId, id, nowMs),
    /** Lists that hold events after this one; the first may hold earlier ones as well. */
    readEvents: (id: string, after: number) => readEvents(db, id, after),

    async findItems(
      accountId: string,
      ids: readonly string[],
      nowMs: number,
    ): Promise<ReadonlyMap<string, string>> {
      const found = new Map<string, string>();
      for (const some of chunked(ids)) {
        const rows = await db
          .selectFrom('response_items')
          .innerJoin('responses', 'responses.id', 'response_items.response_id')
          .select(['response_items.id', 'response_items.item'])
          .where('response_items.id', 'in', some)
          .where('responses.account_id', '=', accountId)
          .where('responses.expires_at_ms', '>', nowMs)
          .execute();
        for (const { id, item } of rows) found.set(id, item);
      }
      return found;
    },

    listFiles: (id: string) =>
      db
        .selectFrom('response_files')
        .select(fileColumns)
        .where('response_id', '=', id)
        .orderBy('position')
        .execute(),

    async readFile(id: string, fileId: string): Promise<RunFile | undefined> {
      const row = await db
        .selectFrom('response_files')
        .select(['id', 'filename', 'content'])
        .where('response_id', '=', id)
        .where('id', '=', fileId)
        .executeTakeFirst();
      return row && { id: row.id, filename: row.filename, bytes: Buffer.from(row.content, 'base64') };
    },
  };
}

async function readChain(
  db: Kysely<Schema>,
  accountId: string,
  id: string,
  nowMs: number,
): Promise<readonly StoredRun[]> {
  const rows = await db
    .withRecursive('links(id, depth)', (qc) =>
      qc
        .selectFrom('responses')
        .select(['responses.id', sql<number>`0`.as('depth')])
        .where('responses.id', '=', id)
        .unionAll(
          qc
            .selectFrom('responses')
            .innerJoin('responses as later', 'later.previous_id', 'responses.id')
            .innerJoin('links', 'links.id', 'later.id')
            .select(['responses.id', sql<number>`links.depth + 1`.as('depth')])
            .where('links.depth', '<', chainMax - 1),
        ),
    )
    .selectFrom('responses')
    .innerJoin('links', 'links.id', 'responses.id')
    .select(columns)
    .where('responses.account_id', '=', accountId)
    .where('responses.expires_at_ms', '>', nowMs)
    .orderBy('links.depth', 'desc')
    .execute();
  return rows.map((row) => toRun(row));
}

async function readEvents(db: Kysely<Schema>, id: string, after: number): Promise<readonly StoredEvents[]> {
  const rows = await db
    .selectFrom('response_events')
    .select(['response_id as id', 'first_sequence as firstSequence', 'lines'])
    .where('response_id', '=', id)
    // The block before the first later one may reach beyond `after`.
    .where('first_sequence', '>=', (eb) =>
      eb
        .selectFrom('response_events as earlier')
        .select((one) => one.fn.coalesce(one.fn.max('earlier.first_sequence'), sql<number>`0`).as('first'))
        .where('earlier.response_id', '=', id)
        .where('earlier.first_sequence', '<=', after + 1),
    )
    .orderBy('first_sequence')
    .execute();
  return Promise.all(rows.map(async (row) => ({ ...row, lines: await unpackText(row.lines) })));
}

/** Packs events, which repeat themselves: as pieces, as a whole, and as part of the response. */
async function packEvents(events: readonly StoredEvents[]): Promise<readonly StoredEvents[]> {
  return Promise.all(events.map(async (event) => ({ ...event, lines: await packText(event.lines) })));
}

function writers(db: Kysely<Schema>) {
  return {
    insert: (response: NewResponse, lease: RunLease): Promise<void> => insert(db, response, lease),

    /** False, and nothing is inserted, where the response has not the conversation that it goes on with. */
    insertHolding: (conversationId: string, response: NewResponse, lease: RunLease): Promise<boolean> =>
      db.transaction().execute(async (transaction) => {
        if (!(await holdConversation(transaction, conversationId, response.id))) return false;
        await insert(transaction, response, lease);
        return true;
      }),

    async appendEvents(events: readonly StoredEvents[], expiresAtMs: number): Promise<void> {
      const packed = await packEvents(events);
      await db.transaction().execute((transaction) => appendEvents(transaction, packed, expiresAtMs));
    },

    /** All of it or nothing. False when the run is over, with another end than `replaces`, or gone. */
    async end(end: StoredEnd): Promise<boolean> {
      const packed = { ...end, events: await packEvents(end.events) };
      return db.transaction().execute((transaction) => endResponse(transaction, packed));
    },

    /** Ends a run with what `toEnd` makes of its events. None is appended between, as its own process might. */
    endLost: (id: string, toEnd: (events: readonly StoredEvents[]) => StoredEnd): Promise<boolean> =>
      db.transaction().execute(async (transaction) => {
        const open = transaction
          .selectFrom('responses')
          .select('id')
          .where('id', '=', id)
          .where('status', '=', 'in_progress');
        const row = await (storeOf(db) === 'postgres' ? open.forUpdate() : open).executeTakeFirst();
        if (row === undefined) return false;
        const end = toEnd(await readEvents(transaction, id, -1));
        return endResponse(transaction, { ...end, events: await packEvents(end.events) });
      }),

    remove: (accountId: string, id: string): Promise<boolean> =>
      changesOne(db.deleteFrom('responses').where('id', '=', id).where('account_id', '=', accountId)),

    /** Drops runs past their time. Returns how many. */
    async forget(nowMs: number): Promise<number> {
      await db.deleteFrom('response_events').where('expires_at_ms', '<=', nowMs).execute();
      await forgetParts(db, nowMs);
      const past = db.deleteFrom('responses').where('expires_at_ms', '<=', nowMs);
      return changedRows(past.where('status', '!=', 'in_progress'));
    },
  };
}

type NewResponse = Omit<StoredRun, 'status' | 'lastSequence' | 'endedAtMs'>;

async function insert(
  db: Kysely<Schema>,
  response: NewResponse,
  { owner, leaseMs }: RunLease,
): Promise<void> {
  await db
    .insertInto('responses')
    .values({
      id: response.id,
      account_id: response.accountId,
      status: 'in_progress',
      is_stored: response.isStored ? 1 : 0,
      previous_id: response.previousId,
      input: response.input,
      response: response.response,
      lease_owner: owner,
      lease_until_ms: sql<number>`${storeNow(db)} + ${leaseMs}`,
      created_at_ms: response.createdAtMs,
      expires_at_ms: response.expiresAtMs,
    })
    .execute();
}

/** Before their responses: a statement counts what many accounts lose in the order of their ids. */
async function forgetParts(db: Kysely<Schema>, nowMs: number): Promise<void> {
  const gone = db
    .selectFrom('responses')
    .select('id')
    .where('expires_at_ms', '<=', nowMs)
    .where('status', '!=', 'in_progress');
  for (const table of ['response_events', 'response_items', 'response_files'] as const)
    await db.deleteFrom(table).where('response_id', 'in', gone).execute();
}

function maintenance(db: Kysely<Schema>) {
  return {
    async requestCancel(id: string): Promise<void> {
      await db
        .updateTable('responses')
        .set({ is_cancelled: 1 })
        .where('id', '=', id)
        .where('status', '=', 'in_progress')
        .execute();
    },

    /** Runs of this owner that are to be cancelled. */
    async listCancelled(owner: string): Promise<readonly string[]> {
      const rows = await db
        .selectFrom('responses')
        .select('id')
        .where('lease_owner', '=', owner)
        .where('status', '=', 'in_progress')
        .where('is_cancelled', '=', 1)
        .execute();
      return rows.map(({ id }) => id);
    },

    async renew({ owner, leaseMs }: RunLease): Promise<void> {
      await db
        .updateTable('responses')
        .set({ lease_until_ms: sql<number>`${storeNow(db)} + ${leaseMs}` })
        .where('lease_owner', '=', owner)
        .where('status', '=', 'in_progress')
        .execute();
    },

    /** Runs in progress whose process has gone. With `exceptOwner`: all but its own, whatever their leases. */
    async listAbandoned(limit: number, exceptOwner: string | null): Promise<readonly StoredRun[]> {
      const open = db
        .selectFrom('responses')
        .select(columns)
        .where('status', '=', 'in_progress')
        .limit(limit);
      const rows = await (
        exceptOwner === null
          ? open.where('lease_until_ms', '<', storeNow(db))
          : open.where('lease_owner', '!=', exceptOwner)
      ).execute();
      return rows.map((row) => toRun(row));
    },
  };
}
