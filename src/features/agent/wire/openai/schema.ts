import { Type, type Static } from 'typebox';
import type { Json } from '../../../../kernel/kit/json.ts';
import { AnyObject, Count, Literals, named, Nullable, Open, orNull } from '../../../../kernel/kit/schema.ts';
import { fieldsAfter, fieldsBefore } from '../schema.ts';

const { input, response_format: _format, reasoning: _reasoning, text: _text, ...before } = fieldsBefore;
const { conversation: _conversation, prompt: _prompt, include: _include, ...after } = fieldsAfter;
const Any = Type.Unsafe<Json>({});

/** What OpenAI documents of a request, and the fields of the house. Others are accepted and named in a header. */
export const OpenAiResponseRequest = Open(
  {
    ...before,
    input: Type.Optional(input),
    reasoning: Nullable(
      Type.Object({
        effort: Nullable(Type.String()),
        summary: Nullable(Type.String()),
        generate_summary: Nullable(Type.String()),
      }),
    ),
    text: Nullable(
      Type.Object({
        format: Nullable(Type.Object({ type: Type.String() })),
        verbosity: Nullable(Type.String()),
      }),
    ),
    tools: Nullable(Type.Array(AnyObject)),
    tool_choice: Nullable(Type.Union([Type.String(), AnyObject])),
    ...after,
    include: Nullable(Type.Array(Type.String())),
    conversation: Type.Optional(Any),
    prompt: Type.Optional(Any),
    generate: Nullable(Type.Boolean()),
  },
  {
    input: 'A text, or items: messages, calls with their outputs, and every item of an earlier response.',
    model: 'A name from the list of models, or an alias.',
    reasoning: '`summary` shows the reasoning of a model that tells it.',
    text: '`format`: `text`, `json_object` or `json_schema`. `verbosity` has no effect.',
    tools:
      'Functions, custom tools, namespaces and the tools of a client become functions; `web_search`, `code_interpreter`, `file_search` and those of `mcp` run here. One that cannot be served is left out.',
    conversation: 'The id of a conversation, or an object with it. Not together with `previous_response_id`.',
    prompt: 'Null only.',
    generate:
      '`false` asks no model: the response is what a later one goes on with. Clients send it over a WebSocket.',
  },
);
export type OpenAiResponseRequest = Static<typeof OpenAiResponseRequest>;

const Usage = Type.Object({
  input_tokens: Count,
  input_tokens_details: Type.Object({ cached_tokens: Count, cache_write_tokens: Count }),
  output_tokens: Count,
  output_tokens_details: Type.Object({ reasoning_tokens: Count }),
  total_tokens: Count,
});

const text = Type.String();

export const OpenAiResponse = named(
  'OpenAiResponse',
  Open(
    {
      id: Type.String({ pattern: '^resp_' }),
      object: Type.Literal('response'),
      created_at: Type.Integer(),
      status: Literals(['completed', 'failed', 'in_progress', 'cancelled', 'incomplete']),
      completed_at: orNull(Type.Integer()),
      error: orNull(Type.Object({ code: text, message: text })),
      incomplete_details: orNull(Type.Object({ reason: text })),
      model: text,
      output: Type.Array(AnyObject),
      usage: orNull(Usage),
    },
    { output: 'Items in order.', usage: 'Null while the response is made.' },
  ),
);

export const OpenAiCompaction = named(
  'OpenAiCompaction',
  Open(
    {
      id: Type.String({ pattern: '^resp_' }),
      object: Type.Literal('response.compaction'),
      created_at: Type.Integer(),
      output: Type.Array(AnyObject),
      usage: Usage,
    },
    { output: 'The messages of the user, and an item that stands for the rest.' },
  ),
);

export const InputItems = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(AnyObject),
  first_id: orNull(text),
  last_id: orNull(text),
  has_more: Type.Boolean(),
});
