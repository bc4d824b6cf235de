import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import type { Token } from '../asked.ts';
import { Cursor, phrases } from '../cursor.ts';
import type { Reading } from '../reading.ts';
import { type Verdict, verdict } from '../verdict.ts';

/** That somebody has written afterwards shows; whether that was an answer is a matter of meaning. */
const certainty = 0.95;
const charsMax = 20_000;

interface Turn {
  readonly isOwn: boolean;
  readonly text: string;
}

const own =
  /^(?:customer|client|user|guest|visitor|caller|patient|buyer|applicant|member|passenger|tenant|student)$/i;
const others =
  /^(?:agent|assistant|support|staff|bot|advisor|adviser|operator|reception|receptionist|representative|rep|clerk|help|helpdesk|seller|teacher|doctor)$/i;

const asks = phrases('has|have|did|was|is');
const anybody = phrases(
  'anybody|anyone|somebody|someone|the agent|the assistant|the support|support|the staff|the bot|we|our team|the team',
);
const replying = phrases(
  'answered|replied|responded|answer|reply|respond|written back|write back|reacted|react',
);
const question = phrases(
  `the question|the customer 's question|the question of the customer|the user 's question|the question of the user|the last
  question|their question|his question|her question|the guest 's question|the caller 's question`,
);
const toThem = phrases(
  'to the customer|the customer|to the user|the user|to them|them|to the guest|the guest|yet|already',
);
const answered = phrases('been answered|answered');

/** "has the question been answered", where nobody wrote after it: no. And whether anybody wrote at all. */
export function readAnswered(tokens: readonly Token[], { entry }: Reading): Verdict | null {
  const of = askedOf(tokens);
  if (of === null) return null;
  const turns = turnsOf(entry);
  const lastOwn =
    turns?.findLastIndex(({ isOwn, text }) => isOwn && (of === 'reply' || text.includes('?'))) ?? -1;
  if (turns === null || lastOwn < 0) return null;
  const isAnswered = turns.slice(lastOwn).some(({ isOwn }) => !isOwn);
  // What was written after a question may be no answer to it, and what was written before is none.
  if (of === 'question' && isAnswered) return null;
  const hasWritten = turns.some(({ isOwn }) => !isOwn);
  if (of === 'reply' && isAnswered !== hasWritten) return null;
  return verdict(isAnswered, certainty);
}

function askedOf(tokens: readonly Token[]): 'question' | 'reply' | null {
  const cursor = new Cursor(tokens);
  if (cursor.take(asks) === null) return null;
  const of = cursor.take(question) === null ? (cursor.take(anybody) === null ? null : 'reply') : 'question';
  if (of === null) return null;
  if (cursor.take(of === 'question' ? answered : replying) === null) return null;
  while (cursor.take(toThem) !== null);
  return cursor.isDone ? of : null;
}

/** Turns of a conversation between one who asks and one who answers; null for any other state. */
function turnsOf(entry: Json): readonly Turn[] | null {
  const turns = typeof entry === 'string' ? linesOf(entry) : messagesOf(entry);
  if (turns === null || turns.length === 0) return null;
  const read = turns.map(([role, text]) =>
    own.test(role) ? { isOwn: true, text } : others.test(role) ? { isOwn: false, text } : null,
  );
  return read.every((turn) => turn !== null) ? read : null;
}

function linesOf(text: string): readonly (readonly [role: string, text: string])[] | null {
  if (text.length > charsMax) return null;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const read = lines.map((line) => /^\s{0,8}([\p{L} ]{1,20}):(.*)$/u.exec(line));
  return read.every((line) => line !== null)
    ? read.map(([, role = '', said = '']) => [role.trim(), said])
    : null;
}

function messagesOf(entry: Json): readonly (readonly [role: string, text: string])[] | null {
  if (!Array.isArray(entry)) return null;
  const read = (entry as readonly Json[]).map((message) =>
    isJsonObject(message) && typeof message['role'] === 'string' && typeof message['content'] === 'string'
      ? ([message['role'], message['content']] as const)
      : null,
  );
  return read.every((message) => message !== null) ? read.filter(([role]) => role !== 'system') : null;
}
