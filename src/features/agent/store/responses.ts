import { sql, type Kysely, type Selectable } from 'kysely';

import { storeNow } from '../../../kernel/store/store.ts';
import { endResponse, insertEvents, type EventLines, type ResponseEnd } from './response-end.ts';
import { packText, unpackText } from '../../../kernel/store/packed-text.ts';
import type { ResponsesTable, Schema } from '../../../kernel/store/schema.ts';

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
  /** All of it or nothing. False when the response is over, with another end than `replaces`, or gone. */
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
  return Promise.all(
    rows.map(async (row) => ({
      id: row.response_id,
      firstSequence: row.first_sequence,
      lines: await unpackText(row.lines),
    })),
  );
}

/** Events say the same several times: as pieces, as a whole, and as part of the response. */
async function packEvents(events: readonly EventLines[]): Promise<readonly EventLines[]> {
  return Promise.all(events.map(async (event) => ({ ...event, lines: await packText(event.lines) })));
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
      await insertEvents(db, await packEvents(events), expiresAtMs);
    },

    async end(end) {
      const packed = { ...end, events: await packEvents(end.events) };
      return db.transaction().execute((transaction) => endResponse(transaction, packed));
    },

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
      await forgetParts(db, nowMs);
      const { numDeletedRows } = await db
        .deleteFrom('responses')
        .where('expires_at_ms', '<=', nowMs)
        .where('status', '!=', 'in_progress')
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };
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
