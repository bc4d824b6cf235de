import { invalidValue } from '../../../kernel/faults.ts';
import { quote } from '../../../kernel/kit/text.ts';
import type { AssistantPart, Turn, UserPart } from '../../models/feature.ts';
import type { ChatMessage, TextContent, UserChunk, UserMessage } from './chat-message-schema.ts';

const orderMessage =
  'After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).';

/** What a part of a user message, at its place, is to the model. */
type ToUserPart = (part: Exclude<UserChunk, { type: 'text' }>, param: string) => UserPart;

function textOf(content: TextContent): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('\n');
}

/** Contract 9.2. Throws Fault `invalid_value`. Lenient leaves the order to the caller. */
export function checkMessages(messages: readonly ChatMessage[], isLenient: boolean): void {
  const calls = new Set<string>();
  for (const [at, message] of messages.entries()) {
    checkContent(message, `messages.${at}.content`);
    if (message.role === 'tool' && !calls.has(message.tool_call_id))
      throw invalidValue(
        `No tool call before it has the id '${quote(message.tool_call_id)}'`,
        `messages.${at}.tool_call_id`,
      );
    for (const { id } of callsOf(message)) calls.add(id);
  }
  const isOrdered = isLenient ? ['user', 'tool'].includes(messages.at(-1)?.role ?? '') : alternates(messages);
  if (!isOrdered) throw invalidValue(orderMessage, 'messages');
}

function checkContent(message: ChatMessage, param: string): void {
  const { role, content = null } = message;
  if (role === 'user' && message.content.length === 0) throw invalidValue('content must not be empty', param);
  if (content === null && callsOf(message).length === 0)
    throw invalidValue('content may be null only beside tool_calls', param);
}

function callsOf(message: ChatMessage) {
  return message.role === 'assistant' ? (message.tool_calls ?? []) : [];
}

const isSystem = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer';

/** System messages, then `user`, then one after the other; behind calls one `tool` message for each. */
function alternates(messages: readonly ChatMessage[]): boolean {
  const first = messages.findIndex((message) => !isSystem(message));
  if (first < 0) return false;
  let expected: readonly ChatMessage['role'][] = ['user'];
  let open = new Set<string>();
  for (const message of messages.slice(first)) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) return false;
      expected = open.size > 0 ? ['tool'] : ['assistant', 'user'];
      continue;
    }
    if (open.size > 0 || !expected.includes(message.role)) return false;
    open = new Set(callsOf(message).map(({ id }) => id));
    expected = message.role === 'user' ? ['assistant'] : open.size > 0 ? ['tool'] : ['user'];
  }
  const last = messages.at(-1)?.role;
  return open.size === 0 && (last === 'user' || last === 'tool');
}

export function systemOf(messages: readonly ChatMessage[]): readonly string[] {
  const texts = messages.flatMap((message) =>
    message.role === 'system' || message.role === 'developer' ? [textOf(message.content)] : [],
  );
  return texts.filter((text) => text.trim() !== '');
}

/** Neighbours of one role are one turn, which only lenient orders lead to, and results of tools. */
export function toTurns(messages: readonly ChatMessage[], toPart: ToUserPart): readonly Turn[] {
  const names = new Map<string, string>();
  const turns: Turn[] = [];
  for (const [at, message] of messages.entries()) {
    for (const call of callsOf(message)) names.set(call.id, call.function.name);
    const turn = toTurn(message, `messages.${at}.content`, names, toPart);
    if (turn === null) continue;
    const before = turns.at(-1);
    const merged = before && merge(before, turn);
    if (merged) turns.pop();
    turns.push(merged ?? turn);
  }
  return turns;
}

function toTurn(
  message: ChatMessage,
  path: string,
  names: ReadonlyMap<string, string>,
  toPart: ToUserPart,
): Turn | null {
  switch (message.role) {
    case 'system':
    case 'developer':
      return null;
    case 'user':
      return { role: 'user', parts: toUserParts(message.content, path, toPart) };
    case 'assistant': {
      const text = textOf(message.content ?? '');
      const parts: AssistantPart[] = text === '' ? [] : [{ type: 'text', text }];
      for (const { id, function: called } of callsOf(message))
        parts.push({ type: 'tool-call', id, name: called.name, arguments: called.arguments });
      return { role: 'assistant', parts };
    }
    case 'tool': {
      const { tool_call_id: callId, content } = message;
      const parts = [{ type: 'text', text: textOf(content) } as const];
      return { role: 'tool', results: [{ callId, name: names.get(callId) ?? '', parts, isError: false }] };
    }
  }
}

function toUserParts(content: UserMessage['content'], path: string, toPart: ToUserPart): UserPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part, index) =>
    part.type === 'text' ? part : toPart(part, `${path}.${index}.${part.type}`),
  );
}

function merge(a: Turn, b: Turn): Turn | null {
  if (a.role === 'user' && b.role === 'user') return { role: 'user', parts: [...a.parts, ...b.parts] };
  if (a.role === 'tool' && b.role === 'tool') return { role: 'tool', results: [...a.results, ...b.results] };
  if (a.role === 'assistant' && b.role === 'assistant')
    return { role: 'assistant', parts: [...a.parts, ...b.parts] };
  return null;
}
