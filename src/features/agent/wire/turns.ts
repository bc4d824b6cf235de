import { invalidValue } from '../../../kernel/faults.ts';
import { quote } from '../../../kernel/kit/text.ts';
import type { AssistantPart, ToolResult, Turn, UserPart, Media } from '../../models/feature.ts';
import type { InputItem, InputPart } from './input.ts';

export interface Fetched {
  readonly images: ReadonlyMap<string, Media>;
  /** Texts of files, by the part. */
  readonly files: ReadonlyMap<InputPart, string>;
}

type Call = Extract<InputItem, { kind: 'call' }>;

/**
 * Items as turns. Results stand directly behind their calls, wherever they were sent; a call without one is reported as
 * not done, because models refuse calls without a result. Throws Fault `invalid_value` for a result without a call.
 */
export function toConversation(items: readonly InputItem[], fetched: Fetched) {
  /** Of system and developer messages, in order. */
  const system: string[] = [];
  const turns: Turn[] = [];
  const results = resultsByCall(items, fetched);
  let user: UserPart[] = [];
  let assistant: AssistantPart[] = [];
  let calls: Call[] = [];
  const flush = (): void => {
    if (user.length > 0) turns.push({ role: 'user', parts: user });
    if (assistant.length > 0) turns.push({ role: 'assistant', parts: assistant });
    if (calls.length > 0)
      turns.push({ role: 'tool', results: calls.map((call) => toResult(call, results.get(call))) });
    [user, assistant, calls] = [[], [], []];
  };
  for (const item of items) {
    if (item.kind === 'call') {
      if (user.length > 0) flush();
      const { callId: id, name, arguments: text, signature } = item;
      const call = { type: 'tool-call', id, name, arguments: text } as const;
      assistant.push(signature === null ? call : { ...call, signature });
      calls.push(item);
    } else if (item.kind === 'result') {
      // What is said after a result answers it.
      flush();
    } else if (item.kind === 'message') {
      if (item.role === 'system') system.push(textOf(item.parts));
      else if (item.role === 'user') {
        if (assistant.length > 0) flush();
        user.push(...item.parts.map((part) => toUserPart(part, fetched)));
      } else {
        if (user.length > 0) flush();
        const text = textOf(item.parts);
        if (text !== '') assistant.push({ type: 'text', text });
      }
    }
  }
  flush();
  return { system: system.filter((text) => text.trim() !== ''), turns };
}

function resultsByCall(
  items: readonly InputItem[],
  fetched: Fetched,
): ReadonlyMap<Call, readonly UserPart[]> {
  /** The last one of each id: some servers number the calls of every answer anew. */
  const calls = new Map<string, Call>();
  const results = new Map<Call, readonly UserPart[]>();
  for (const item of items) {
    if (item.kind === 'call') calls.set(item.callId, item);
    if (item.kind !== 'result') continue;
    const { callId, parts, param } = item;
    const call = calls.get(callId);
    if (call === undefined)
      throw invalidValue(`no function call found for call_id "${quote(callId)}"`, `${param}.call_id`);
    results.set(
      call,
      parts.map((part) => toUserPart(part, fetched)),
    );
  }
  return results;
}

function toResult({ callId, name }: Call, parts: readonly UserPart[] | undefined): ToolResult {
  if (parts !== undefined) return { callId, name, parts, isError: false };
  return { callId, name, parts: [{ type: 'text', text: 'This call was not carried out.' }], isError: true };
}

function toUserPart(part: InputPart, { images, files }: Fetched): UserPart {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image', ...part.media };
    case 'remote-image': {
      const media = images.get(part.url);
      return media === undefined ? { type: 'text', text: goneNote('picture') } : { type: 'image', ...media };
    }
    case 'file':
      return { type: 'text', text: files.get(part) ?? goneNote('file') };
  }
}

const goneNote = (what: string): string => `(Here was a ${what}, which cannot be read any more.)`;

function textOf(parts: readonly InputPart[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}
