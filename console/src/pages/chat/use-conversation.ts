import { useCallback, useEffect, useRef, useState } from 'react';
import type { ChatEvent } from '../../parts/answers/chat-wire.ts';
import { useSession } from '../../session.tsx';
import { toChatRequest, type ChatSettings } from './request.ts';
import { addEvent, createTurn, endTurn, isUnderWay, type Turn } from './turn.ts';

export interface Conversation {
  readonly turns: readonly Turn[];
  readonly isBusy: boolean;
  /** Does nothing while an answer is being written. */
  readonly ask: (question: string, settings: ChatSettings) => void;
  /** Stops the answer that is being written; its text so far stays. */
  readonly stop: () => void;
}

/** Questions and answers, which go on from those of before. Leaving the page stops the running answer. */
export function useConversation(before: readonly Turn[]): Conversation {
  const { api } = useSession();
  const [turns, setTurns] = useState(before);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const isBusy = turns.some(isUnderWay);
  const update = useCallback((id: number, change: (turn: Turn) => Turn) => {
    setTurns((before) => before.map((turn) => (turn.id === id ? change(turn) : turn)));
  }, []);
  const ask = (question: string, settings: ChatSettings) => {
    if (isBusy) return;
    const id = (turns.at(-1)?.id ?? 0) + 1;
    const request = toChatRequest(settings, turns, question);
    const abort = new AbortController();
    running.current = abort;
    setTurns([...turns, createTurn(id, question, request)]);
    const read = async () => {
      const body = { ...request, stream: true, stream_mode: 'concise' };
      let failure: unknown = null;
      try {
        const events = api.stream<ChatEvent>({ path: '/chat/completions', body, signal: abort.signal });
        for await (const event of events) update(id, (turn) => addEvent(turn, event));
      } catch (error) {
        failure = error;
      }
      update(id, (turn) => endTurn(turn, failure, abort.signal.aborted));
    };
    void read();
  };
  return {
    turns,
    isBusy,
    ask,
    stop: () => running.current?.abort(),
  };
}
