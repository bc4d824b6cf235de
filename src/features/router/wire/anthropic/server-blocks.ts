import { objectOf } from '../../../../kernel/kit/json-fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import type { AssistantBlock, Message, ResultBlock } from '../messages/blocks.ts';
import type { Ignored } from './ignored.ts';

/** Blocks of servers' tools stay as they were sent until they are told apart from the rest. */
export type AssistantRead =
  AssistantBlock | { readonly type: 'other'; readonly path: string; readonly sent: JsonObject };

const callTypes: ReadonlySet<unknown> = new Set(['server_tool_use', 'mcp_tool_use']);

/**
 * An answer in which a server ran tools holds calls and results side by side. Here results are the user's, so it becomes
 * several messages. Calls without a result, results without a call, and other blocks are left out and told.
 */
export function readServerBlocks(blocks: readonly AssistantRead[], ignored: Ignored): Message[] {
  const calls = idsOf(blocks, ({ type, id }) => (callTypes.has(type) ? id : null));
  const answered = idsOf(blocks, ({ tool_use_id: id }) => id ?? null);
  const messages: Message[] = [];
  let said: AssistantBlock[] = [];
  let results: ResultBlock[] = [];
  const end = () => {
    if (said.length > 0) messages.push({ role: 'assistant', content: said });
    if (results.length > 0) messages.push({ role: 'user', content: results });
    said = [];
    results = [];
  };
  for (const block of blocks) {
    if (block.type !== 'other') {
      if (results.length > 0) end();
      said.push(block);
      continue;
    }
    const { sent, path } = block;
    const { id, name, input, tool_use_id: callId } = sent;
    if (typeof callId === 'string' && calls.has(callId)) {
      results.push({ type: 'tool_result', tool_use_id: callId, content: toText(sent['content'] ?? '') });
    } else if (typeof id === 'string' && answered.has(id) && calls.has(id) && typeof name === 'string') {
      if (results.length > 0) end();
      said.push({ type: 'tool_use', id, name, input: objectOf(input) });
    } else ignored.add(path);
  }
  end();
  return messages;
}

function idsOf(
  blocks: readonly AssistantRead[],
  idOf: (sent: JsonObject) => Json | null | undefined,
): ReadonlySet<string> {
  const ids = blocks.map((block) => (block.type === 'other' ? idOf(block.sent) : null));
  return new Set(ids.filter((id) => typeof id === 'string'));
}

/** Texts in the order in which they stand; what is no text is shown as JSON. */
function toText(content: Json): string {
  if (typeof content === 'string') return content;
  const items = Array.isArray(content) ? content : [content];
  return items.map((item) => (isJsonObject(item) ? toItemText(item) : JSON.stringify(item))).join('\n\n');
}

function toItemText(item: JsonObject): string {
  if (item['type'] === 'text' && typeof item['text'] === 'string') return item['text'];
  const { encrypted_content: sealed, type: _, ...told } = item;
  const text = fromSeal(sealed);
  return text === null ? JSON.stringify(told) : `${JSON.stringify(told)}\n${text}`;
}

const sealPrefix = 'nestor1.';

/** A text that comes back unread: encoded, and no secret, since it is what its caller may see. */
export const inSeal = (text: string): string => sealPrefix + Buffer.from(text).toString('base64url');

/** Null for what was not sealed here. */
function fromSeal(sealed: unknown): string | null {
  if (typeof sealed !== 'string' || !sealed.startsWith(sealPrefix)) return null;
  return Buffer.from(sealed.slice(sealPrefix.length), 'base64url').toString('utf8');
}
