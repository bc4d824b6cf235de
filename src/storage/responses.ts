import { sql, type Kysely, type Selectable } from 'kysely';

import { storeNow } from './jobs.ts';
import type { ResponsesTable, Schema } from './schema.ts';

export type ResponseStatus = 'in_progress' | 'requires_action' | 'completed' | 'failed';

export interface ResponseRow {
  readonly id: string;
  readonly accountId: string;
  readonly status: ResponseStatus;
  /** False: kept as what another response follows, and shown to nobody. */
  readonly isStored: boolean;
  readonly previousId: string | null;
  /** JSON text. */
  readonly input: string;
  /** JSON text, as it was last told. */
  readonly response: string;
  /** Of the last event; null while it runs. */
  readonly lastSequence: number | null;
  readonly createdAtMs: number;
  readonly endedAtMs: number | null;
  readonly expiresAtMs: number;
}

export type NewResponse = Omit<ResponseRow, 'status' | 'lastSequence' | 'endedAtMs'>;

export interface ResponseLease {
  readonly owner: string;
  readonly leaseMs: number;
}

/** Some neighbouring events of one response. */
export interface EventLines {
  readonly id: string;
  readonly firstSequence: number;
  /** JSON text. */
  readonly lines: string;
}

export interface ResponseEnd {
  readonly id: string;
  readonly status: Exclude<ResponseStatus, 'in_progress'>;
  readonly response: string;
  readonly lastSequence: number;
  readonly endedAtMs: number;
  readonly expiresAtMs: number;
  readonly eventsExpireAtMs: number;
  /** Those that were not appended before. */
  readonly events: readonly EventLines[];
  /** What may be referred to by its id. */
  readonly items: readonly { readonly id: string; readonly item: string }[];
  readonly files: readonly { readonly id: string; readonly filename: string; readonly bytes: Uint8Array }[];
}

export interface FileHead {
  readonly id: string;
  readonly filename: string;
  readonly bytes: number;
  readonly createdAtMs: number;
}

/** Responses as the store keeps them. What is past its time is not found. */
export type Responses = Readers & Writers & Runs;

interface Readers {
  find(accountId: string, id: string, nowMs: number): Promise<ResponseRow | undefined>;
  /** The response and all that it follows, the first one first; cut after 1,000. */
  chain(accountId: string, id: string, nowMs: number): Promise<readonly ResponseRow[]>;
  /** Lines that hold events after this one, in order; the first may hold earlier ones as well. */
  readEvents(id: string, afterSequence: number): Promise<readonly EventLines[]>;
  /** JSON texts of items by id, as far as they are this account's. */
  findItems(accountId: string, ids: readonly string[], nowMs: number): Promise<ReadonlyMap<string, string>>;
  listFiles(id: string): Promise<readonly FileHead[]>;
  readFile(id: string, fileId: string): Promise<(FileHead & { readonly content: Uint8Array }) | undefined>;
}

interface Writers {
  insert(response: NewResponse, lease: ResponseLease): Promise<void>;
  appendEvents(events: readonly EventLines[], expiresAtMs: number): Promise<void>;
  /** All of it or nothing. False when the response is over or gone. */
  end(end: ResponseEnd): Promise<boolean>;
  remove(accountId: string, id: string): Promise<boolean>;
  /** Drops what is past its time. Returns how many responses. */
  forget(nowMs: number): Promise<number>;
}

interface Runs {
  requestCancel(id: string): Promise<void>;
  /** Those of this owner that somebody wants to end. */
  listCancelled(owner: string): Promise<readonly string[]>;
  renew(lease: ResponseLease): Promise<void>;
  /** Running ones that nobody runs any more. `exceptOwner` takes all but its own, whatever their leases. */
  listAbandoned(limit: number, exceptOwner: string | null): Promise<readonly ResponseRow[]>;
}

const chainMax = 1_000;

export function createResponses(db: Kysely<Schema>): Responses {
  return { ...readers(db), ...writers(db), ...runs(db) };
}

function readers(db: Kysely<Schema>): Readers {
  return {
    async find(accountId, id, nowMs) {
      const row = await db
        .selectFrom('responses')
        .selectAll()
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .where('expires_at_ms', '>', nowMs)
        .executeTakeFirst();
      return row && toRow(row);
    },
    chain: (accountId, id, nowMs) => readChain(db, accountId, id, nowMs),
    readEvents: (id, after) => readEvents(db, id, after),

    async findItems(accountId, ids, nowMs) {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom('response_items')
        .innerJoin('responses', 'responses.id', 'response_items.response_id')
        .select(['response_items.id', 'response_items.item'])
        .where('response_items.id', 'in', ids)
        .where('responses.account_id', '=', accountId)
        .where('responses.expires_at_ms', '>', nowMs)
        .execute();
      return new Map(rows.map(({ id, item }) => [id, item]));
    },

    async listFiles(id) {
      const rows = await db
        .selectFrom('response_files')
        .select(['id', 'filename', 'bytes', 'created_at_ms'])
        .where('response_id', '=', id)
        .orderBy('position')
        .execute();
      return rows.map((row) => toFile(row));
    },

    async readFile(id, fileId) {
      const row = await db
        .selectFrom('response_files')
        .selectAll()
        .where('response_id', '=', id)
        .where('id', '=', fileId)
        .executeTakeFirst();
      return row && { ...toFile(row), content: Buffer.from(row.content, 'base64') };
    },
  };
}

async function readChain(
  db: Kysely<Schema>,
  accountId: string,
  id: string,
  nowMs: number,
): Promise<readonly ResponseRow[]> {
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
    .selectAll('responses')
    .where('responses.account_id', '=', accountId)
    .where('responses.expires_at_ms', '>', nowMs)
    .orderBy('links.depth', 'desc')
    .execute();
  return rows.map((row) => toRow(row));
}

async function readEvents(db: Kysely<Schema>, id: string, after: number): Promise<readonly EventLines[]> {
  const rows = await db
    .selectFrom('response_events')
    .select(['response_id', 'first_sequence', 'lines'])
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
  return rows.map((row) => ({
    id: row.response_id,
    firstSequence: row.first_sequence,
    lines: row.lines,
  }));
}

function writers(db: Kysely<Schema>): Writers {
  return {
    async insert(response, { owner, leaseMs }) {
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
    },

    async appendEvents(events, expiresAtMs) {
      for (let at = 0; at < events.length; at += rowsMax)
        await insertEvents(db, events.slice(at, at + rowsMax), expiresAtMs);
    },

    end: (end) => db.transaction().execute((transaction) => endResponse(transaction, end)),

    async remove(accountId, id) {
      const { numDeletedRows } = await db
        .deleteFrom('responses')
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow();
      return numDeletedRows === 1n;
    },

    async forget(nowMs) {
      await db.deleteFrom('response_events').where('expires_at_ms', '<=', nowMs).execute();
      const { numDeletedRows } = await db
        .deleteFrom('responses')
        .where('expires_at_ms', '<=', nowMs)
        .where('status', '!=', 'in_progress')
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };
}

/** Rows per statement: with four columns far below the parameters that SQLite takes. */
const rowsMax = 500;

async function endResponse(db: Kysely<Schema>, end: ResponseEnd): Promise<boolean> {
  const { id, eventsExpireAtMs, endedAtMs } = end;
  const { numUpdatedRows } = await db
    .updateTable('responses')
    .set({
      status: end.status,
      response: end.response,
      last_sequence: end.lastSequence,
      // A clock that was set back must not make a response end before it began.
      ended_at_ms: sql<number>`case when created_at_ms > ${endedAtMs} then created_at_ms else ${endedAtMs} end`,
      expires_at_ms: end.expiresAtMs,
      lease_owner: null,
      lease_until_ms: null,
    })
    .where('id', '=', id)
    .where('status', '=', 'in_progress')
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return false;
  if (end.events.length > 0) await insertEvents(db, end.events, eventsExpireAtMs);
  await db
    .updateTable('response_events')
    .set({ expires_at_ms: eventsExpireAtMs })
    .where('response_id', '=', id)
    .execute();
  for (let at = 0; at < end.items.length; at += rowsMax) {
    const rows = end.items.slice(at, at + rowsMax).map((item) => ({ ...item, response_id: id }));
    await db.insertInto('response_items').values(rows).execute();
  }
  for (const [position, { id: fileId, filename, bytes }] of end.files.entries()) {
    const content = Buffer.from(bytes).toString('base64');
    const file = { id: fileId, response_id: id, position, filename, bytes: bytes.byteLength, content };
    await db
      .insertInto('response_files')
      .values({ ...file, created_at_ms: endedAtMs })
      .execute();
  }
  return true;
}

/** Events of a response that was deleted meanwhile have no place any more. */
async function insertEvents(
  db: Kysely<Schema>,
  events: readonly EventLines[],
  expiresAtMs: number,
): Promise<void> {
  const known = await db
    .selectFrom('responses')
    .select('id')
    .where(
      'id',
      'in',
      events.map(({ id }) => id),
    )
    .execute();
  const ids = new Set(known.map(({ id }) => id));
  const rows = events.flatMap(({ id, firstSequence, lines }) =>
    ids.has(id)
      ? [{ response_id: id, first_sequence: firstSequence, lines, expires_at_ms: expiresAtMs }]
      : [],
  );
  if (rows.length === 0) return;
  await db
    .insertInto('response_events')
    .values(rows)
    // Written again after an answer of the store was lost.
    .onConflict((conflict) => conflict.columns(['response_id', 'first_sequence']).doNothing())
    .execute();
}

function runs(db: Kysely<Schema>): Runs {
  return {
    async requestCancel(id) {
      await db
        .updateTable('responses')
        .set({ is_cancelled: 1 })
        .where('id', '=', id)
        .where('status', '=', 'in_progress')
        .execute();
    },

    async listCancelled(owner) {
      const rows = await db
        .selectFrom('responses')
        .select('id')
        .where('lease_owner', '=', owner)
        .where('status', '=', 'in_progress')
        .where('is_cancelled', '=', 1)
        .execute();
      return rows.map(({ id }) => id);
    },

    async renew({ owner, leaseMs }) {
      await db
        .updateTable('responses')
        .set({ lease_until_ms: sql<number>`${storeNow(db)} + ${leaseMs}` })
        .where('lease_owner', '=', owner)
        .where('status', '=', 'in_progress')
        .execute();
    },

    async listAbandoned(limit, exceptOwner) {
      const open = db.selectFrom('responses').selectAll().where('status', '=', 'in_progress').limit(limit);
      const rows = await (
        exceptOwner === null
          ? open.where('lease_until_ms', '<', storeNow(db))
          : open.where('lease_owner', '!=', exceptOwner)
      ).execute();
      return rows.map((row) => toRow(row));
    },
  };
}

function toRow(row: Selectable<ResponsesTable>): ResponseRow {
  return {
    id: row.id,
    accountId: row.account_id,
    status: row.status,
    isStored: row.is_stored === 1,
    previousId: row.previous_id,
    input: row.input,
    response: row.response,
    lastSequence: row.last_sequence,
    createdAtMs: row.created_at_ms,
    endedAtMs: row.ended_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
}

function toFile(row: {
  readonly id: string;
  readonly filename: string;
  readonly bytes: number;
  readonly created_at_ms: number;
}): FileHead {
  return { id: row.id, filename: row.filename, bytes: row.bytes, createdAtMs: row.created_at_ms };
}
