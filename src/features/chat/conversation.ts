import { beginningOf } from '../../kernel/kit/text.ts';
import { lastQuestion, textOf } from '../agent/feature.ts';
import type { Turn } from '../models/feature.ts';
import { neutralise } from '../tools/feature.ts';

const turnsMax = 8;
const turnCharsMax = 4_000;
/** A first question of up to this is its own query: a plan would cost a call and change nothing. */
const plainCharsMax = 200;

/** Whether the conversation is one short question, which can be searched for as it stands. */
export function isPlain(turns: readonly Turn[]): boolean {
  const text = lastQuestion(turns);
  return turns.length === 1 && text.length <= plainCharsMax && !text.includes('\n');
}

/** The end of a conversation as text, for planning. */
export function renderConversation(turns: readonly Turn[]): string {
  const lines = turns.slice(-turnsMax).map((turn) => {
    const text = neutralise(toText(turn));
    return `${turn.role}: ${text.length > turnCharsMax ? `${beginningOf(text, turnCharsMax)} …` : text}`;
  });
  return `Conversation:\n${lines.join('\n\n')}`;
}

function toText(turn: Turn): string {
  switch (turn.role) {
    case 'user':
      return textOf(turn.parts);
    case 'assistant':
      return turn.parts
        .flatMap((part) => {
          if (part.type === 'thought' || part.type === 'reasoning-details') return [];
          return [part.type === 'text' ? part.text : `(calls ${part.name})`];
        })
        .join('\n');
    case 'tool':
      return turn.results.map(({ parts }) => textOf(parts)).join('\n');
  }
}
