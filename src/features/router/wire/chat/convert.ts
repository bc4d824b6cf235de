import { Fault, invalidValue } from '../../../../kernel/faults.ts';
import { isJsonObject } from '../../../../kernel/kit/json.ts';
import { quote } from '../../../../kernel/kit/text.ts';
import {
  type AssistantPart,
  type ModelRequest,
  type OutputFormat,
  type ToolResult,
  type Turn,
  type UserPart,
  checkBase64,
  imageTypes,
  type Media,
  type Remote,
  toFunctionTool,
  tokensMaxOf,
  toSchemaFormat,
  toToolChoice,
} from '../../../models/feature.ts';
import type { FindSignature } from '../router.ts';
import type { RouterChatRequest } from './schema.ts';

type Message = RouterChatRequest['messages'][number];
type UserMessage = Extract<Message, { role: 'user' }>;
type Part = Exclude<UserMessage['content'], string>[number];

const dataUrl = /^data:(?<mediaType>[a-z]+\/[a-z0-9.+-]+);base64,/i;

function urlOf({ image_url: image }: Extract<Part, { type: 'image_url' }>): string {
  return typeof image === 'string' ? image : image.url;
}

/** Every address that the messages name. */
export function remotesOf({ messages }: RouterChatRequest): Remote[] {
  return messages.flatMap(({ role, content }, at) => {
    if (role !== 'user' || typeof content === 'string') return [];
    return content.flatMap((part, index): Remote[] => {
      if (part.type !== 'image_url' || urlOf(part).startsWith('data:')) return [];
      const param = `messages.${at}.content.${index}.image_url`;
      return [{ url: urlOf(part), param, mediaTypes: imageTypes }];
    });
  });
}

type MediaByUrl = ReadonlyMap<string, Media>;

/** Throws Fault `invalid_value` and `invalid_image`. `media` holds what stands behind every address of `remotesOf`. */
export function toModelRequest(
  body: RouterChatRequest,
  media: MediaByUrl,
  findSignature: FindSignature,
): ModelRequest {
  const tools = (body.tools ?? []).map((tool) => toFunctionTool(tool.function));
  const { stop } = body;
  return {
    system: toSystem(body.messages),
    turns: toTurns(body.messages, media, findSignature),
    tools,
    toolChoice: toToolChoice(body.tool_choice ?? 'auto', tools),
    parallelToolCalls: body.parallel_tool_calls ?? true,
    format: toFormat(body.response_format),
    outputTokensMax: tokensMaxOf(body),
    stop: typeof stop === 'string' ? [stop] : (stop ?? []),
    temperature: body.temperature ?? null,
    topP: body.top_p ?? null,
    topK: null,
    presencePenalty: body.presence_penalty ?? null,
    frequencyPenalty: body.frequency_penalty ?? null,
    seed: body.seed ?? null,
    effort: body.reasoning_effort ?? null,
  };
}

function toSystem(messages: readonly Message[]): string[] {
  const texts: string[] = [];
  for (const { role, content } of messages)
    if (role === 'system' || role === 'developer') texts.push(toText(content));
  return texts;
}

function toFormat(format: RouterChatRequest['response_format']): OutputFormat {
  switch (format?.type) {
    case undefined:
    case 'text':
      return { type: 'text' };
    case 'json_object':
      return { type: 'json' };
    case 'json_schema':
      return toSchemaFormat(format.json_schema);
  }
}

function toText(
  content: string | readonly ({ type: 'text'; text: string } | { type: 'refusal'; refusal: string })[],
) {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : part.refusal)).join('\n');
}

/** Results of neighbouring tool messages are one turn. */
function toTurns(messages: readonly Message[], media: MediaByUrl, findSignature: FindSignature): Turn[] {
  const turns: Turn[] = [];
  const calls = new Map<string, string>();
  let results: ToolResult[] | null = null;
  for (const [at, message] of messages.entries()) {
    if (message.role === 'tool') {
      const result = toResult(message, `messages.${at}`, calls);
      if (results === null) turns.push({ role: 'tool', results: (results = []) });
      results.push(result);
      continue;
    }
    results = null;
    if (message.role === 'user') {
      turns.push({ role: 'user', parts: toUserParts(message.content, `messages.${at}.content`, media) });
    } else if (message.role === 'assistant') {
      turns.push({ role: 'assistant', parts: toAssistantParts(message, calls, findSignature) });
    }
  }
  return turns;
}

function toResult(
  { tool_call_id: callId, content }: Extract<Message, { role: 'tool' }>,
  path: string,
  calls: ReadonlyMap<string, string>,
): ToolResult {
  const name = calls.get(callId);
  if (name === undefined)
    throw invalidValue(`No tool call before it has the id '${quote(callId)}'`, `${path}.tool_call_id`);
  return { callId, name, parts: [{ type: 'text', text: toText(content) }], isError: false };
}

function toAssistantParts(
  { content, tool_calls: toolCalls, reasoning_details: sent }: Extract<Message, { role: 'assistant' }>,
  calls: Map<string, string>,
  findSignature: FindSignature,
): AssistantPart[] {
  const text = content === null || content === undefined ? '' : toText(content);
  const details = Array.isArray(sent) ? sent.filter(isJsonObject) : [];
  const parts: AssistantPart[] = details.length === 0 ? [] : [{ type: 'reasoning-details', details }];
  if (text !== '') parts.push({ type: 'text', text });
  for (const { id, function: called } of toolCalls ?? []) {
    calls.set(id, called.name);
    const signature = findSignature(id);
    const call = { type: 'tool-call', id, name: called.name, arguments: called.arguments } as const;
    parts.push({ ...call, ...(signature !== null && { signature }) });
  }
  return parts;
}

function toUserParts(content: UserMessage['content'], path: string, media: MediaByUrl): UserPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part, index): UserPart => {
    if (part.type === 'text') return { type: 'text', text: part.text };
    return { type: 'image', ...toImage(urlOf(part), `${path}.${index}.image_url`, media) };
  });
}

function toImage(url: string, param: string, media: MediaByUrl): Media {
  const fetched = media.get(url);
  if (fetched !== undefined) return fetched;
  const match = dataUrl.exec(url);
  const mediaType = match?.groups?.['mediaType']?.toLowerCase() ?? '';
  if (match === null || !imageTypes.includes(mediaType)) {
    const message = 'image_url must be an https address or a data URL of PNG, JPEG, GIF or WebP in base64';
    throw new Fault('invalid_image', message, { param });
  }
  return { mediaType, base64: checkBase64(url.slice(match[0].length), param) };
}
