import type { AgeGuard } from '../../kernel/store/age-guard.ts';
import { Fault } from '../../kernel/faults.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { Ids } from '../../kernel/kit/ids.ts';
import { quote } from '../../kernel/kit/text.ts';
import type { ConversationItem, ConversationStore, StoredConversation } from './store/conversations.ts';

interface ConversationsOptions {
  readonly store: ConversationStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly ageGuard: AgeGuard;
  /** How long one is kept after its last use. */
  readonly retentionMs: number;
}

/** The longest conversation: the whole of it is read for every answer. */
const itemsMax = 10_000;
/** Time in which a response has to begin, pictures of its input included. A process that was killed holds it no longer. */
const lockMs = 60_000;

export type Conversations = ReturnType<typeof createConversationService>;

/** Conversations of accounts. Those of others are not found. */
export function createConversationService(options: ConversationsOptions) {
  const { store, clock, ids, ageGuard, retentionMs } = options;
  const expiresAtMs = () => clock.now() + retentionMs;
  /** Throws Fault `not_found`. */
  const get = async (accountId: string, id: string): Promise<StoredConversation> => {
    const found = await store.find(accountId, id, clock.now());
    if (found !== undefined) return found;
    throw new Fault('not_found', `Conversation with id '${quote(id)}' not found.`);
  };
  /** Throws Fault `invalid_value`. */
  const refuseFull = async (id: string, more: number): Promise<void> => {
    if ((await store.countItems(id)) + more > itemsMax)
      throw new Fault('invalid_value', `A conversation holds at most ${itemsMax} items.`, {
        param: 'conversation',
      });
  };
  return {
    get,
    listAll: (id: string) => listAll(store, id),
    getItem: (id: string, itemId: string) => getItem(store, id, itemId),
    hasItem: async (id: string, itemId: string) => (await store.findItem(id, itemId)) !== undefined,
    async create(accountId: string, metadata: object, items: readonly ConversationItem[]) {
      const id = `conv_${ids.uuid()}`;
      const made = { id, metadata: JSON.stringify(metadata), createdAtMs: clock.now() };
      await store.insert(made, accountId, expiresAtMs(), items);
      return made;
    },
    async update(accountId: string, id: string, metadata: object) {
      const before = await get(accountId, id);
      const after = JSON.stringify(metadata);
      await store.setMetadata(accountId, id, after);
      return { ...before, metadata: after };
    },
    async remove(accountId: string, id: string): Promise<void> {
      await get(accountId, id);
      await store.remove(accountId, id);
    },
    async append(accountId: string, id: string, items: readonly ConversationItem[]): Promise<void> {
      await get(accountId, id);
      await refuseFull(id, items.length);
      await store.append(id, items, expiresAtMs());
    },
    /**
     * Begins a response that goes on with a conversation, which no other one does until it has ended. `begin` gets every
     * item as JSON, of a conversation with room for more. Throws Fault `not_found` and `conversation_locked`.
     */
    async goOn<Begun>(
      accountId: string,
      id: string,
      responseId: string,
      begin: (before: readonly string[]) => Promise<Begun>,
    ): Promise<Begun> {
      await get(accountId, id);
      return locked(store, id, responseId, async () => {
        await refuseFull(id, 1);
        return begin(await listAll(store, id));
      });
    },
    list: (...asked: Parameters<ConversationStore['listItems']>) => store.listItems(...asked),
    async removeItem(id: string, itemId: string): Promise<void> {
      await getItem(store, id, itemId);
      await store.removeItem(id, itemId);
    },
    forget: ageGuard((nowMs: number) => store.forget(nowMs)),
  };
}

/** Every item as JSON. */
async function listAll(store: ConversationStore, id: string): Promise<readonly string[]> {
  const all = await store.listItems(id, { after: null, order: 'asc', limit: itemsMax });
  return all.map(({ item }) => item);
}

/** Locks a conversation for a response, which holds it on where it begins. Throws Fault `conversation_locked`. */
async function locked<Begun>(
  store: ConversationStore,
  id: string,
  responseId: string,
  begin: () => Promise<Begun>,
): Promise<Begun> {
  if (!(await store.lock(id, responseId, lockMs)))
    throw new Fault('conversation_locked', undefined, { param: 'conversation' });
  try {
    return await begin();
  } catch (error) {
    // Where the store is away, the time of the lock ends it.
    await store.unlock(id, responseId).catch(() => {});
    throw error;
  }
}

/** Throws Fault `not_found`. */
async function getItem(store: ConversationStore, id: string, itemId: string): Promise<ConversationItem> {
  const found = await store.findItem(id, itemId);
  if (found !== undefined) return found;
  throw new Fault('not_found', `Item with id '${quote(itemId)}' not found in conversation '${id}'.`);
}
