import { sql, type Kysely } from 'kysely';

import { changedRows, changesOne } from '../../../kernel/store/changed-rows.ts';
import { storeNow } from '../../../kernel/store/store.ts';
import type { Schema } from '../../../kernel/store/schema.ts';

export interface StoredConversation {
  readonly id: string;
  /** JSON. */
  readonly metadata: string;
  readonly createdAtMs: number;
}

/** `item` is JSON with the id in it. */
export interface ConversationItem {
  readonly id: string;
  readonly item: string;
}

/** A part of the items of a conversation. */
interface ItemQuery {
  /** Only those behind this one in the order that is asked for. */
  readonly after: string | null;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
}

export type ConversationStore = ReturnType<typeof createConversations>;

/** Rows per statement. */
const rowsMax = 200;

/** Conversations as the store keeps them, for a while after their last use. Those past their time are not found. */
export function createConversations(db: Kysely<Schema>) {
  return { ...readers(db), ...writers(db), ...locks(db) };
}

function readers(db: Kysely<Schema>) {
  return {
    find: (accountId: string, id: string, nowMs: number): Promise<StoredConversation | undefined> =>
      db
        .selectFrom('conversations')
        .select(['id', 'metadata', 'created_at_ms as createdAtMs'])
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .where('expires_at_ms', '>', nowMs)
        .executeTakeFirst(),

    async countItems(id: string): Promise<number> {
      const { count } = await db
        .selectFrom('conversation_items')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('conversation_id', '=', id)
        .executeTakeFirstOrThrow();
      return count;
    },

    async listItems(id: string, { after, order, limit }: ItemQuery): Promise<readonly ConversationItem[]> {
      const items = db
        .selectFrom('conversation_items')
        .select(['id', 'item'])
        .where('conversation_id', '=', id)
        .orderBy('ordinal', order)
        .limit(limit);
      if (after === null) return items.execute();
      const last = db
        .selectFrom('conversation_items')
        .select('ordinal')
        .where('conversation_id', '=', id)
        .where('id', '=', after);
      return items.where('ordinal', order === 'asc' ? '>' : '<', last).execute();
    },

    findItem: (id: string, itemId: string): Promise<ConversationItem | undefined> =>
      db
        .selectFrom('conversation_items')
        .select(['id', 'item'])
        .where('conversation_id', '=', id)
        .where('id', '=', itemId)
        .executeTakeFirst(),
  };
}

function writers(db: Kysely<Schema>) {
  return {
    async insert(
      { id, metadata, createdAtMs }: StoredConversation,
      accountId: string,
      expiresAtMs: number,
      items: readonly ConversationItem[],
    ): Promise<void> {
      await db.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('conversations')
          .values({
            id,
            account_id: accountId,
            metadata,
            created_at_ms: createdAtMs,
            expires_at_ms: expiresAtMs,
          })
          .execute();
        await insertItems(transaction, id, items);
      });
    },

    setMetadata: (accountId: string, id: string, metadata: string): Promise<boolean> =>
      changesOne(
        db
          .updateTable('conversations')
          .set({ metadata })
          .where('id', '=', id)
          .where('account_id', '=', accountId),
      ),

    remove: (accountId: string, id: string): Promise<boolean> =>
      changesOne(db.deleteFrom('conversations').where('id', '=', id).where('account_id', '=', accountId)),

    /** False where the conversation has gone. */
    append: (id: string, items: readonly ConversationItem[], expiresAtMs: number): Promise<boolean> =>
      db.transaction().execute((transaction) => appendItems(transaction, id, items, expiresAtMs)),

    removeItem: (id: string, itemId: string): Promise<void> => removeItems(db, id, [itemId]),

    /** Drops conversations past their time. Returns how many. */
    async forget(nowMs: number): Promise<number> {
      const past = db.selectFrom('conversations').select('id').where('expires_at_ms', '<=', nowMs);
      // Before their conversations: a statement counts what many accounts lose in the order of their ids.
      await db.deleteFrom('conversation_items').where('conversation_id', 'in', past).execute();
      return changedRows(db.deleteFrom('conversations').where('expires_at_ms', '<=', nowMs));
    },
  };
}

/**
 * One response at a time goes on with a conversation.
 *
 * - **free**: nobody's, or of a response that is over, or was never begun in its time.
 * - **taken**: `lock` gave it to a response for `leaseMs`, in which that has to begin.
 * - **held**: the response has begun (`holdConversation`) and is in progress. Its own lease ends it when its process has
 * gone, so nothing stays locked behind a process that was killed.
 */
function locks(db: Kysely<Schema>) {
  return {
    /** False where another response has it. */
    lock: (id: string, responseId: string, leaseMs: number): Promise<boolean> =>
      changesOne(
        db
          .updateTable('conversations')
          .set({ locked_by: responseId, locked_until_ms: sql<number>`${storeNow(db)} + ${leaseMs}` })
          .where('id', '=', id)
          .where((eb) =>
            eb.or([
              eb('locked_by', 'is', null),
              eb.and([
                eb('locked_until_ms', '<', storeNow(db)),
                eb.not(
                  eb.exists(
                    eb
                      .selectFrom('responses')
                      .select('responses.id')
                      .whereRef('responses.id', '=', 'conversations.locked_by')
                      .where('responses.status', '=', 'in_progress'),
                  ),
                ),
              ]),
            ]),
          ),
      ),

    /** Only what this response has. */
    unlock: (id: string, responseId: string): Promise<void> => unlockConversation(db, id, responseId),
  };
}

/** Makes the lock last as long as the response. False where another one has taken it meanwhile. */
export const holdConversation = (db: Kysely<Schema>, id: string, responseId: string): Promise<boolean> =>
  changesOne(
    db
      .updateTable('conversations')
      .set({ locked_until_ms: 0 })
      .where('id', '=', id)
      .where('locked_by', '=', responseId),
  );

export async function unlockConversation(db: Kysely<Schema>, id: string, responseId: string): Promise<void> {
  await db
    .updateTable('conversations')
    .set({ locked_by: null, locked_until_ms: null })
    .where('id', '=', id)
    .where('locked_by', '=', responseId)
    .execute();
}

/** Appends to a conversation that is still there, which lives on from then. An id that it has already is kept once. */
export async function appendItems(
  db: Kysely<Schema>,
  id: string,
  items: readonly ConversationItem[],
  expiresAtMs: number,
): Promise<boolean> {
  const there = db.updateTable('conversations').set({ expires_at_ms: expiresAtMs }).where('id', '=', id);
  if (!(await changesOne(there))) return false;
  await insertItems(db, id, items);
  return true;
}

export async function removeItems(db: Kysely<Schema>, id: string, itemIds: readonly string[]): Promise<void> {
  for (let at = 0; at < itemIds.length; at += rowsMax)
    await db
      .deleteFrom('conversation_items')
      .where('conversation_id', '=', id)
      .where('id', 'in', itemIds.slice(at, at + rowsMax))
      .execute();
}

async function insertItems(
  db: Kysely<Schema>,
  conversationId: string,
  items: readonly ConversationItem[],
): Promise<void> {
  for (let at = 0; at < items.length; at += rowsMax)
    await db
      .insertInto('conversation_items')
      .values(
        items.slice(at, at + rowsMax).map(({ id, item }) => ({ conversation_id: conversationId, id, item })),
      )
      .onConflict((conflict) => conflict.columns(['conversation_id', 'id']).doNothing())
      .execute();
}
