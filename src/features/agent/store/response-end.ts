import { sql, type Kysely } from 'kysely';

import type { Schema } from '../../../kernel/store/schema.ts';
import { storeOf } from '../../../kernel/store/store.ts';
import type { StoredEnd, StoredEvents, StoredFile } from '../run-store.ts';
import { changesOne } from '../../../kernel/store/changed-rows.ts';
import { appendItems, removeItems, unlockConversation } from './conversations.ts';

/** Rows per statement: with four columns far below the parameters that SQLite takes. */
const rowsMax = 500;

export async function endResponse(db: Kysely<Schema>, end: StoredEnd): Promise<boolean> {
  const { id, eventsExpireAtMs, endedAtMs, replaces } = end;
  if (replaces !== null) await removeParts(db, end);
  const ended = db
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
    .where((eb) => {
      const isOpen = eb('status', '=', 'in_progress');
      return replaces === null ? isOpen : eb.or([isOpen, eb('response', '=', replaces)]);
    });
  if (!(await changesOne(ended))) return false;
  await insertEvents(db, end.events, eventsExpireAtMs);
  await db
    .updateTable('response_events')
    .set({ expires_at_ms: eventsExpireAtMs })
    .where('response_id', '=', id)
    .execute();
  for (const items of chunked(end.items)) {
    const rows = items.map((item) => ({ ...item, response_id: id }));
    await db.insertInto('response_items').values(rows).execute();
  }
  const files = end.files.map((file, position) => ({ ...file, position, createdAtMs: endedAtMs }));
  await insertFiles(db, id, files);
  const { conversation } = end;
  if (conversation?.isKept === true)
    await appendItems(db, conversation.id, conversation.items, conversation.expiresAtMs);
  if (conversation) await unlockConversation(db, conversation.id, id);
  return true;
}

/** Removes events, items and files of an end that is replaced. */
async function removeParts(
  db: Kysely<Schema>,
  { id, events, replaces, conversation }: StoredEnd,
): Promise<void> {
  const ended = await db
    .selectFrom('responses')
    .select('id')
    .where('id', '=', id)
    .where('response', '=', replaces ?? '')
    .executeTakeFirst();
  if (ended === undefined) return;
  for (const { firstSequence } of events)
    await db
      .deleteFrom('response_events')
      .where('response_id', '=', id)
      .where('first_sequence', '=', firstSequence)
      .execute();
  await db.deleteFrom('response_items').where('response_id', '=', id).execute();
  await db.deleteFrom('response_files').where('response_id', '=', id).execute();
  if (conversation)
    await removeItems(
      db,
      conversation.id,
      conversation.items.map((item) => item.id),
    );
}

/**
 * Appends events of responses that are in progress, the others are dropped: they were deleted, or another process took
 * their process for dead and ended them. The rows stay locked, so that an end comes before or after the events.
 */
export async function appendEvents(
  db: Kysely<Schema>,
  events: readonly StoredEvents[],
  expiresAtMs: number,
): Promise<void> {
  const open = new Set<string>();
  for (const ids of chunked([...new Set(events.map(({ id }) => id))])) {
    const rows = db
      .selectFrom('responses')
      .select('id')
      .where('id', 'in', ids)
      .where('status', '=', 'in_progress')
      .orderBy('id');
    for (const { id } of await (storeOf(db) === 'postgres' ? rows.forShare() : rows).execute()) open.add(id);
  }
  const isOpen = ({ id }: StoredEvents) => open.has(id);
  const kept = events.filter(isOpen);
  await insertEvents(db, kept, expiresAtMs);
  for (const { id, files = [] } of kept) await insertFiles(db, id, files);
}

async function insertEvents(
  db: Kysely<Schema>,
  events: readonly StoredEvents[],
  expiresAtMs: number,
): Promise<void> {
  for (const some of chunked(events)) {
    const rows = some.map(({ id, firstSequence, lines }) => ({
      response_id: id,
      first_sequence: firstSequence,
      lines,
      expires_at_ms: expiresAtMs,
    }));
    await db
      .insertInto('response_events')
      .values(rows)
      // Written again after an answer of the store was lost.
      .onConflict((conflict) => conflict.columns(['response_id', 'first_sequence']).doNothing())
      .execute();
  }
}

/** Those that are not there yet. */
async function insertFiles(db: Kysely<Schema>, id: string, files: readonly StoredFile[]): Promise<void> {
  if (files.length === 0) return;
  const rows = await db.selectFrom('response_files').select('id').where('response_id', '=', id).execute();
  const there = new Set(rows.map((row) => row.id));
  for (const { id: fileId, position, filename, bytes, createdAtMs } of files) {
    if (there.has(fileId)) continue;
    const content = Buffer.from(bytes).toString('base64');
    const file = { id: fileId, response_id: id, position, filename, bytes: bytes.byteLength, content };
    await db
      .insertInto('response_files')
      .values({ ...file, created_at_ms: createdAtMs })
      .execute();
  }
}

export function* chunked<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < rows.length; at += rowsMax) yield rows.slice(at, at + rowsMax);
}
