import { isUnderWay, type Turn } from './turn.ts';

/** A conversation as it is kept in the browser. */
export interface Conversation {
  readonly id: string;
  /** As it was renamed; null where its first question is its title. */
  readonly name: string | null;
  readonly changedAtMs: number;
  readonly turns: readonly Turn[];
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Another shape gets another number, and what an older page kept is dropped. */
const version = 1;
/** Browsers keep some 5 million letters; the other pages need some of them. */
const lettersMax = 4_000_000;
const titleLetters = 60;

/** What signing out removes begins like this, as does everything else of the console. */
export function storageNameOf(account: string): string {
  return `nestor.chat.${account}`;
}

export function titleOf({ name, turns }: Pick<Conversation, 'name' | 'turns'>): string {
  const title = name ?? turns[0]?.question ?? 'New conversation';
  return title.length > titleLetters ? `${title.slice(0, titleLetters)}…` : title;
}

/** Conversations of an account, the one that changed last first. Empty where nothing is kept that this page reads. */
export function readConversations(store: Store, account: string): readonly Conversation[] {
  try {
    const kept = JSON.parse(store.getItem(storageNameOf(account)) ?? 'null') as {
      version?: unknown;
      conversations?: readonly Conversation[];
    } | null;
    if (kept?.version !== version || kept.conversations === undefined) return [];
    return kept.conversations.map((conversation) => ({
      ...conversation,
      turns: conversation.turns.map(revive),
    }));
  } catch {
    return [];
  }
}

/** Keeps them; where the browser has not room for all, those that changed last. Returns what is kept. */
export function keepConversations(
  store: Store,
  account: string,
  conversations: readonly Conversation[],
): readonly Conversation[] {
  const newest = conversations
    .filter(({ turns }) => turns.length > 0)
    .sort((one, other) => other.changedAtMs - one.changedAtMs);
  for (let count = newest.length; count > 0; count--) {
    const kept = newest.slice(0, count);
    const written = kept.map((one) => ({ ...one, turns: one.turns.map(toKept) }));
    const text = JSON.stringify({ version, conversations: written });
    if (text.length > lettersMax) continue;
    try {
      store.setItem(storageNameOf(account), text);
      return kept;
    } catch {
      // The browser has room for less.
    }
  }
  store.removeItem(storageNameOf(account));
  return [];
}

/** An answer that was still coming ends here. */
function toKept(turn: Turn): Turn {
  const { failure } = turn;
  const ended = isUnderWay(turn) ? { ...turn, status: 'stopped' as const } : turn;
  return { ...ended, failure: failure instanceof Error ? failure.message : null };
}

function revive(turn: Turn): Turn {
  return { ...turn, failure: typeof turn.failure === 'string' ? new Error(turn.failure) : null };
}
