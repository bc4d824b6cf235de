import { Fault } from '../../../../kernel/faults.ts';
import { parseExact } from '../../../../kernel/kit/json-exact.ts';
import { isJsonObject, type JsonObject } from '../../../../kernel/kit/json.ts';
import type { AssistantPart, CacheMark, Thought, ToolResult, Turn, UserPart } from '../../model.ts';
import { parseThinking } from './thinking.ts';

type WireMessage = {
  readonly role: 'user' | 'assistant';
  readonly content: readonly JsonObject[];
};

interface MessageOptions {
  /** Whether thinking that came with tool calls is sent back with them. */
  readonly thinking: boolean;
  /** Whether an assistant turn may stand at the end. */
  readonly prefill: boolean;
  /** Whether marks of the prompt cache are sent. */
  readonly cache: boolean;
}

/** The wire wants a first word of the user, also where there is none. */
const opening: JsonObject = { type: 'text', text: 'Begin.' };
const continuing: JsonObject = {
  type: 'text',
  text: 'Continue your last message exactly where it broke off. Repeat nothing of it.',
};

/** Turns as alternating messages, the user first. Throws Fault `invalid_value` for a document without a block type. */
export function toMessages(turns: readonly Turn[], options: MessageOptions): WireMessage[] {
  const messages: { role: 'user' | 'assistant'; content: JsonObject[] }[] = [];
  for (const turn of turns) {
    const role = turn.role === 'assistant' ? 'assistant' : 'user';
    const content = toContent(turn, options);
    if (content.length === 0) continue;
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...content);
    else messages.push({ role, content });
  }
  if (messages[0]?.role !== 'user') messages.unshift({ role: 'user', content: [opening] });
  for (const message of messages) {
    if (message.role === 'user') message.content = resultsFirst(message.content);
  }
  return endWell(messages, options.prefill);
}

function toContent(turn: Turn, { thinking, cache }: MessageOptions): JsonObject[] {
  switch (turn.role) {
    case 'user':
      return turn.parts.flatMap((part) => toUserBlock(part, cache));
    case 'assistant':
      return toAssistantBlocks(turn.parts, thinking, cache);
    case 'tool':
      return turn.results.map((result) => toResultBlock(result, cache));
  }
}

/** A result has to stand before anything else that the user says after a call. */
function resultsFirst(content: readonly JsonObject[]): JsonObject[] {
  const isResult = (block: JsonObject) => block['type'] === 'tool_result';
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
}

/** A prefill must not end in white space, and models that know none are asked to go on instead. */
function endWell(messages: readonly WireMessage[], prefill: boolean): WireMessage[] {
  const last = messages.at(-1);
  const block = last?.content.at(-1);
  const text = block?.['type'] === 'text' ? block['text'] : null;
  if (last?.role !== 'assistant' || typeof text !== 'string') return [...messages];
  if (!prefill) return [...messages, { role: 'user', content: [continuing] }];
  return [
    ...messages.slice(0, -1),
    { role: 'assistant', content: [...last.content.slice(0, -1), { ...block, text: text.trimEnd() }] },
  ];
}

/** Text without a visible character is refused by the wire. */
function isBlank(text: string): boolean {
  return text.trim() === '';
}

function toUserBlock(part: UserPart, cache: boolean): JsonObject[] {
  const mark = cache ? part.cache : undefined;
  switch (part.type) {
    case 'text':
      return isBlank(part.text) ? [] : [marked({ type: 'text', text: part.text }, mark)];
    case 'image': {
      const source = { type: 'base64', media_type: part.mediaType, data: part.base64 };
      return [marked({ type: 'image', source }, mark)];
    }
    case 'document':
      return [marked(toDocumentBlock(part), mark)];
  }
}

const documentTitleCharsMax = 500;

function toDocumentBlock(part: UserPart & { type: 'document' }): JsonObject {
  const title = part.title === null ? {} : { title: part.title.slice(0, documentTitleCharsMax) };
  const type = part.mediaType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/pdf') {
    return { type: 'document', source: { type: 'base64', media_type: type, data: part.base64 }, ...title };
  }
  if (!type.startsWith('text/') && type !== 'application/json') {
    throw new Fault('invalid_value', 'The model does not read documents of this type.');
  }
  const data = Buffer.from(part.base64, 'base64').toString('utf8');
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data }, ...title };
}

function toAssistantBlocks(parts: readonly AssistantPart[], thinking: boolean, cache: boolean): JsonObject[] {
  const blocks: JsonObject[] = [];
  // Thoughts that stand in their places are not taken from the calls as well.
  const isPlaced = parts.some(({ type }) => type === 'thought');
  let afterCall = 0;
  for (const part of parts) {
    const mark = cache ? part.cache : undefined;
    switch (part.type) {
      case 'text':
        if (!isBlank(part.text)) blocks.push(marked({ type: 'text', text: part.text }, mark));
        break;
      case 'thought':
        if (thinking) blocks.push(toThinkingBlock(part));
        break;
      case 'tool-call': {
        // Thoughts stood before any text that came between them and the call.
        if (thinking && !isPlaced && part.signature !== undefined) {
          blocks.splice(afterCall, 0, ...parseThinking(part.signature));
        }
        const input = toInput(part.arguments);
        const call = { type: 'tool_use', id: toWireId(part.id), name: part.name, input };
        blocks.push(marked(call, mark));
        afterCall = blocks.length;
        break;
      }
      // Of another wire.
      case 'reasoning-details':
    }
  }
  return blocks;
}

function toThinkingBlock({ text, signature }: Thought): JsonObject {
  if (text === null) return { type: 'redacted_thinking', data: signature };
  return { type: 'thinking', thinking: text, signature };
}

/** The wire wants an object. What a model wrote that is none is shown back as it stood, so that it can be corrected. */
function toInput(text: string): JsonObject {
  if (isBlank(text)) return {};
  try {
    const value = parseExact(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Shown as text below.
  }
  return { arguments: text };
}

/** The wire takes letters, digits, `_` and `-`; ids made by other models hold more. */
function toWireId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, (char) => `_${char.charCodeAt(0).toString(16)}`);
}

function toResultBlock(result: ToolResult, cache: boolean): JsonObject {
  const { callId, parts, isError } = result;
  const blocks = parts.flatMap((part) => toUserBlock(part, cache));
  // Beside an error the wire takes text only.
  const content = isError ? blocks.filter((block) => block['type'] === 'text') : blocks;
  const block = {
    type: 'tool_result',
    tool_use_id: toWireId(callId),
    ...(content.length > 0 && { content }),
    ...(isError && content.length > 0 && { is_error: true }),
  };
  return marked(block, cache ? result.cache : undefined);
}

/** The block with a mark of the prompt cache, of which the wire takes four. Five minutes are its default. */
export function marked(block: JsonObject, mark: CacheMark | undefined): JsonObject {
  if (mark === undefined) return block;
  const { cache_control: _, ...rest } = block;
  return { ...rest, cache_control: { type: 'ephemeral', ...(mark === '1h' && { ttl: mark }) } };
}
