import { invalidValue } from '../../../../kernel/faults.ts';
import { quote } from '../../../../kernel/kit/text.ts';
import type {
  AssistantPart,
  FunctionTool,
  ModelRequest,
  ToolChoice,
  ToolResult,
  Turn,
  UserPart,
  Media,
  CacheMark,
} from '../../../models/feature.ts';
import { checkBase64, emptyRequest } from '../../../models/feature.ts';
import type { FindSignature } from '../router.ts';
import {
  blocksOf,
  type AssistantBlock,
  type DocumentBlock,
  type Message,
  type ResultBlock,
  type UserBlock,
} from './blocks.ts';
import type { CountTokensRequest, DocumentSource, ImageSource, MessagesRequest } from './schema.ts';

export interface Reading {
  /** Media by the addresses of `remotesOf`. */
  readonly media: ReadonlyMap<string, Media>;
  /** Texts of PDFs, for a model that reads none. */
  readonly texts: ReadonlyMap<DocumentBlock, string>;
  /** Marks of the prompt cache by block. */
  readonly marks: ReadonlyMap<object, CacheMark>;
  readonly findSignature: FindSignature;
}

/** Throws Fault `invalid_value` and `invalid_image`. */
export function toModelRequest(
  body: CountTokensRequest & Partial<MessagesRequest>,
  read: Reading,
): ModelRequest {
  const { system = [], tool_choice: choice } = body;
  const tools = toTools(body.tools ?? []);
  return {
    ...emptyRequest,
    system: typeof system === 'string' ? [system] : system.map(({ text }) => text),
    turns: toTurns(body.messages, read),
    tools,
    toolChoice: toToolChoice(choice, tools),
    parallelToolCalls: takesParallelCalls(choice),
    outputTokensMax: body.max_tokens ?? null,
    stop: body.stop_sequences ?? [],
    temperature: body.temperature ?? null,
    topP: body.top_p ?? null,
    effort: body.thinking === undefined ? null : 'none',
  };
}

function toTools(tools: NonNullable<CountTokensRequest['tools']>): FunctionTool[] {
  const names = new Set<string>();
  return tools.map(({ name, description, input_schema: parameters }, index) => {
    if (names.has(name)) throw invalidValue('Tool names must be unique', `tools.${index}.name`);
    names.add(name);
    return { name, description: description || name, parameters, strict: false };
  });
}

type Choice = CountTokensRequest['tool_choice'];

export function takesParallelCalls(choice: Choice): boolean {
  return choice === undefined || choice.type === 'none' || choice.disable_parallel_tool_use !== true;
}

export function toToolChoice(choice: Choice, tools: readonly FunctionTool[]): ToolChoice {
  switch (choice?.type) {
    case undefined:
    case 'auto':
      return 'auto';
    case 'none':
      return 'none';
    case 'any':
      if (tools.length > 0) return 'required';
      throw invalidValue('tool_choice any needs tools', 'tool_choice');
    case 'tool': {
      const { name } = choice;
      if (tools.some((tool) => tool.name === name)) return { name };
      throw invalidValue(`No tool is named '${quote(name)}'`, 'tool_choice.name');
    }
  }
}

/** Neighbours of one role become one turn; results of tools come first in theirs, as every wire wants them. */
export function toTurns(messages: readonly Message[], read: Reading): Turn[] {
  if (messages[0]?.role !== 'user')
    throw invalidValue('The first message must have the role user', 'messages.0.role');
  const turns: Turn[] = [];
  const calls = new Map<string, string>();
  for (let at = 0; at < messages.length;) {
    const role = messages[at]?.role;
    const user: UserPart[] = [];
    const assistant: AssistantPart[] = [];
    const results: ToolResult[] = [];
    for (let message = messages[at]; message?.role === role && message; message = messages[++at]) {
      const path = `messages.${at}.content`;
      if (message.role === 'assistant') assistant.push(...toAssistantParts(message.content, calls, read));
      else
        for (const [index, block] of blocksOf(message.content).entries()) {
          const place = `${path}.${index}`;
          if (block.type === 'tool_result') results.push(toResult(block, place, calls, read));
          else user.push(toUserPart(block, place, read));
        }
    }
    if (results.length > 0) turns.push({ role: 'tool', results });
    if (user.length > 0) turns.push({ role: 'user', parts: user });
    // Thoughts alone are no turn.
    if (assistant.some(({ type }) => type !== 'thought')) turns.push({ role: 'assistant', parts: assistant });
  }
  return turns;
}

function toAssistantParts(
  content: string | readonly AssistantBlock[],
  calls: Map<string, string>,
  { marks, findSignature }: Reading,
): AssistantPart[] {
  return blocksOf(content).flatMap((block): AssistantPart[] => {
    const mark = marks.get(block);
    const cache = mark !== undefined && { cache: mark };
    switch (block.type) {
      case 'text':
        return [{ type: 'text', text: block.text, ...cache }];
      case 'thought':
        return [block];
      case 'tool_use': {
        const { id, name, input } = block;
        calls.set(id, name);
        const signature = findSignature(id);
        const call = { type: 'tool-call', id, name, arguments: JSON.stringify(input) } as const;
        return [{ ...call, ...(signature !== null && { signature }), ...cache }];
      }
      case 'thinking':
      case 'redacted_thinking':
        return [];
    }
  });
}

/** `calls` has the names of the tools that were called before, by id of the call. */
function toResult(
  block: ResultBlock,
  path: string,
  calls: ReadonlyMap<string, string>,
  read: Reading,
): ToolResult {
  const { tool_use_id: callId, content = [], is_error: isError = false } = block;
  const name = calls.get(callId);
  if (name === undefined)
    throw invalidValue(`No tool_use before it has the id '${quote(callId)}'`, `${path}.tool_use_id`);
  const parts = blocksOf(content).map((inner, index) => toUserPart(inner, `${path}.content.${index}`, read));
  const cache = read.marks.get(block);
  return { callId, name, parts, isError, ...(cache !== undefined && { cache }) };
}

function toUserPart(block: Exclude<UserBlock, ResultBlock>, path: string, read: Reading): UserPart {
  const cache = read.marks.get(block);
  const part = toUnmarkedPart(block, path, read);
  return cache === undefined ? part : { ...part, cache };
}

function toUnmarkedPart(block: Exclude<UserBlock, ResultBlock>, path: string, read: Reading): UserPart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return { type: 'image', ...toMedia(block.source, path, read) };
    case 'document': {
      const title = block.title ?? null;
      const { source } = block;
      if (source.type === 'text') return toTextDocument(title, source.data);
      const text = read.texts.get(block);
      if (text !== undefined) return toTextDocument(title, text);
      const { mediaType, base64 } = toMedia(source, path, read);
      if (mediaType === 'text/plain') {
        return toTextDocument(title, Buffer.from(base64, 'base64').toString('utf8'));
      }
      return { type: 'document', mediaType, base64, title };
    }
  }
}

/** Text is text for every model, also for those that read no documents. */
function toTextDocument(title: string | null, text: string): UserPart {
  return { type: 'text', text: title === null ? text : `${title}\n\n${text}` };
}

function toMedia(
  source: ImageSource | Exclude<DocumentSource, { type: 'text' }>,
  path: string,
  { media }: Reading,
): Media {
  if (source.type === 'base64') {
    return { mediaType: source.media_type, base64: checkBase64(source.data, `${path}.source.data`) };
  }
  const fetched = media.get(source.url);
  if (fetched === undefined) throw new Error('an address was not fetched');
  return fetched;
}
