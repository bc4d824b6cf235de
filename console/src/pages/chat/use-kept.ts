import { useCallback, useEffect, useRef, useState } from 'react';
import { keepConversations, readConversations, type Conversation } from './kept.ts';
import type { Turn } from './turn.ts';

export interface UsedKept {
  readonly conversations: readonly Conversation[];
  readonly keep: (conversation: Conversation) => void;
  readonly remove: (id: string) => void;
}

/** The conversations of an account in this browser. */
export function useKept(account: string): UsedKept {
  const [conversations, setConversations] = useState(() => readConversations(localStorage, account));
  const keep = useCallback(
    (conversation: Conversation) => {
      // Another tab may have kept some meanwhile.
      const others = readConversations(localStorage, account).filter(({ id }) => id !== conversation.id);
      setConversations(keepConversations(localStorage, account, [...others, conversation]));
    },
    [account],
  );
  const remove = useCallback(
    (id: string) => {
      const others = readConversations(localStorage, account).filter((other) => other.id !== id);
      setConversations(keepConversations(localStorage, account, others));
    },
    [account],
  );
  return { conversations, keep, remove };
}

/** Keeps the turns whenever an answer has ended, and what there is when the page is left. */
export function useKeeping(
  turns: readonly Turn[],
  isBusy: boolean,
  keep: (turns: readonly Turn[]) => void,
): void {
  const latest = useRef({ turns, keep, kept: turns });
  useEffect(() => {
    latest.current = { ...latest.current, turns, keep };
    if (isBusy || turns === latest.current.kept) return;
    latest.current.kept = turns;
    keep(turns);
  }, [turns, isBusy, keep]);
  useEffect(() => {
    const keepNow = () => {
      const { turns: all, kept, keep: keepAll } = latest.current;
      // After signing out nothing is kept: the next person may be somebody else.
      if (all !== kept && sessionStorage.getItem('nestor.keys') !== null) keepAll(all);
    };
    addEventListener('pagehide', keepNow);
    return () => {
      removeEventListener('pagehide', keepNow);
      keepNow();
    };
  }, []);
}
