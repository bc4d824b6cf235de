import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { objectOf } from '../../../../kernel/kit/json-fields.ts';
import { isContextOverflow } from '../../upstream-fault.ts';
import type { Quirks } from './quirks.ts';

/** What refusals have shown about a model of a server. */
export interface CompatibilityCache {
  /** Fields that it does not accept: a name, or a name with one value as JSON. */
  readonly dropped: ReadonlySet<string>;
  readonly quirks: Partial<Quirks>;
  /** The longest answer that it accepts as a limit. Unit: tokens. */
  readonly outputTokensMax: number | null;
}

export const noCompatibility: CompatibilityCache = { dropped: new Set(), quirks: {}, outputTokensMax: null };

/** Fields that an answer can do without: its length, its form and its variety may differ, its meaning does not. */
const droppable =
  `stream_options parallel_tool_calls reasoning_effort reasoning thinking chat_template_kwargs temperature top_p top_k
  presence_penalty frequency_penalty seed random_seed stop`.split(/\s+/);

/**
 * Reads a refusal of a field, in the words that servers have for it: "Unsupported parameter: 'max_tokens'", "temperature
 * does not support 0.5 with this model", "Unrecognized request argument supplied: top_k", "response_format is not
 * supported". Null when it is about something else, or about nothing that was sent.
 */
export function readRefusal(
  error: Json | null,
  sent: JsonObject,
  before: CompatibilityCache,
): CompatibilityCache | null {
  const message = messageOf(error);
  if (message === null) return null;
  const lack = lacks.find(([, words]) => words.test(message))?.[0];
  if (lack !== undefined) {
    const { quirks } = before;
    return quirks[lack] === true ? null : { ...before, quirks: { ...quirks, [lack]: true } };
  }
  const outputTokensMax = mostOf(message, sent);
  if (outputTokensMax !== null) return { ...before, outputTokensMax };
  // A choice that is refused in the words of pydantic; of a number that is out of range only the number is.
  if (
    !/support|unrecogni|unknown|unexpected|not permitted|not allowed|extra|input should be '/i.test(message)
  )
    return null;
  if (/\breasoning_details\b/.test(message) && before.quirks.detailsBack === undefined)
    return { ...before, quirks: { ...before.quirks, detailsBack: false } };
  const names = (field: string) => field in sent && new RegExp(`\\b${field}\\b`).test(message);
  for (const field of ['max_tokens', 'max_completion_tokens'] as const) {
    if (!names(field)) continue;
    const limit = field === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
    // Refused under both names: the value is refused.
    return before.quirks.limit === undefined ? { ...before, quirks: { ...before.quirks, limit } } : null;
  }
  // A schema that is refused shows nothing about other schemas.
  if (/invalid schema/i.test(message)) return null;
  if ('response_format' in sent && /response_format|json_schema|json_object/.test(message)) {
    return { ...before, quirks: { ...before.quirks, format: weakerFormat(sent, message) } };
  }
  const field = droppable.find(names);
  if (field === undefined) return null;
  const dropped = valued.has(field) ? withValue(field, sent[field]) : field;
  return { ...before, dropped: new Set([...before.dropped, dropped]) };
}

/** "thinking is enabled but reasoning_content is missing in assistant tool call message", and the like. */
const lacks = [
  ['reasoningBack', /reasoning_content.{0,100}(?:missing|must be passed)|missing.{0,100}reasoning_content/i],
  ['marksUnsigned', /missing.{0,100}thought_signature/i],
  ['streamsOnly', /non-streaming|only supports? stream|stream mode|stream(?:=true|ing is required)/i],
] as const;

/**
 * The longest answer, as servers name it that refuse a longer one: "at most 16384 completion tokens", "the valid range of
 * max_tokens is [1, 8192]", "must be less than or equal to `8192`". Null for anything else, and for what depends on the prompt.
 */
function mostOf(message: string, { max_tokens: one, max_completion_tokens: other }: JsonObject) {
  const asked = one ?? other;
  if (typeof asked !== 'number' || !limitName.test(message) || ofPrompt.test(message)) return null;
  const most = Number(/(?:at most|less than or equal to|\[\d{1,9},) *`?(\d{1,9})/.exec(message)?.[1]);
  return most > 0 && most < asked ? most : null;
}

const limitName = /max_(?:completion_|new_)?tokens/;
const ofPrompt = /\b(?:input tokens|inputs|prompt|messages)\b/i;

/** Whether a prompt and the longest answer to it do not fit into the context together; the prompt alone may. */
export function isLimitBeyondContext(error: Json | null): boolean {
  const message = messageOf(error) ?? '';
  return isContextOverflow(error) && (limitName.test(message) || /\bcompletion\b/.test(message));
}

/** The body without the fields that the server does not accept. */
export function withoutDropped(body: JsonObject, { dropped }: CompatibilityCache): JsonObject {
  if (dropped.size === 0) return body;
  return Object.fromEntries(
    Object.entries(body).filter(
      ([field, value]) => !dropped.has(field) && !dropped.has(withValue(field, value)),
    ),
  );
}

/** Fields of which a server may accept one value and refuse another. */
const valued: ReadonlySet<string> = new Set(['reasoning_effort', 'reasoning', 'thinking', 'tool_choice']);

function withValue(field: string, value: Json | undefined): string {
  return valued.has(field) ? `${field}=${JSON.stringify(value)}` : field;
}

/** The next form that asks for less. Who lists these two types is llama-cpp-python, or was written after it. */
function weakerFormat({ response_format: format }: JsonObject, message: string): Quirks['format'] {
  if (!isJsonObject(format)) return 'none';
  if (format['type'] === 'json_schema')
    return message.includes("'text' or 'json_object'") ? 'json_object_schema' : 'json_object';
  return 'schema' in format ? 'json_object' : 'none';
}

function messageOf(received: Json | null): string | null {
  // Gemini makes a list of an error.
  const error = Array.isArray(received) ? (received as readonly Json[])[0] : received;
  if (!isJsonObject(error)) return null;
  const inner = isJsonObject(error['error']) ? error['error'] : error;
  // OpenRouter keeps there what the server behind it said.
  const { raw } = objectOf(inner['metadata']);
  const words = [inner['param'], inner['message'] ?? inner['detail'], raw].filter(
    (word) => typeof word === 'string',
  );
  return words.length === 0 ? null : words.join(' ');
}
