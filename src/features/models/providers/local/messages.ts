import { Fault } from '../../../../kernel/faults.ts';
import type { ModelRequest, ToolCall, Turn, UserPart } from '../../model.ts';

/** A turn as chat templates know them. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly calls?: readonly ToolCall[];
  /** The call that a tool's result belongs to. */
  readonly callId?: string;
  readonly name?: string;
}

export function systemOf({ system }: ModelRequest): readonly Message[] {
  return system.length === 0 ? [] : [{ role: 'system', text: system.join('\n\n') }];
}

/** `callable`: the template knows calls; else they are described in text. */
export function messagesOf(turn: Turn, callable: boolean): readonly Message[] {
  if (turn.role === 'user') return [{ role: 'user', text: textOf(turn.parts) }];
  if (turn.role === 'tool') {
    return turn.results.map(({ callId, name, parts }) =>
      callable
        ? { role: 'tool', text: textOf(parts), callId, name }
        : { role: 'user', text: `Result of ${name}:\n${textOf(parts)}` },
    );
  }
  const calls = turn.parts.filter((part) => part.type === 'tool-call');
  const text = textOf(turn.parts);
  if (callable) return [{ role: 'assistant', text, calls }];
  const described = calls.map((call) => `Called ${call.name} with ${call.arguments}`);
  return [{ role: 'assistant', text: [text, ...described].filter((line) => line !== '').join('\n') }];
}

export function textOf(parts: readonly (UserPart | { readonly type: 'text' | 'tool-call' })[]): string {
  const texts = parts.flatMap((part) => {
    if (part.type === 'image' || part.type === 'document') {
      throw new Fault(
        'invalid_value',
        `The local model does not take ${part.type === 'image' ? 'images' : 'documents'}.`,
      );
    }
    return 'text' in part ? [part.text] : [];
  });
  return texts.join('\n');
}

/** Templates want the roles to alternate. */
export function merged(messages: readonly Message[]): readonly Message[] {
  const result: Message[] = [];
  for (const message of messages) {
    const before = result.at(-1);
    const alike = before !== undefined && before.role === message.role && message.role !== 'tool';
    if (!alike || (before.calls?.length ?? 0) > 0) result.push(message);
    else result[result.length - 1] = { ...before, ...message, text: joined(before.text, message.text) };
  }
  return result;
}

function joined(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}

/** For templates without a system role. */
export function withoutSystem(messages: readonly Message[]): readonly Message[] {
  const [system, ...rest] = messages;
  if (system?.role !== 'system') return messages;
  const [user, ...others] = rest[0]?.role === 'user' ? rest : [{ role: 'user', text: '' } as const, ...rest];
  return user === undefined ? messages : [{ ...user, text: joined(system.text, user.text) }, ...others];
}

/** One call per message, followed by its result, for templates that take one call per turn and drop the text beside it. */
export function oneCallEach(messages: readonly Message[]): readonly Message[] {
  const results = messages.filter(({ role }) => role === 'tool');
  return messages.flatMap((message): readonly Message[] => {
    if (message.role === 'tool') return [];
    if (message.calls === undefined || message.calls.length === 0) return [message];
    const calls = message.calls.flatMap((call) => [
      { role: 'assistant' as const, text: '', calls: [call] },
      ...results.filter(({ callId }) => callId === call.id),
    ]);
    return message.text === '' ? calls : [{ role: 'assistant', text: message.text }, ...calls];
  });
}
