import { Type, type Static } from 'typebox';
import type { Json } from '../../../../kernel/kit/json.ts';
import { Nullable } from '../../../../kernel/kit/schema.ts';
import { described, named } from '../../../../kernel/http/described.ts';

const strict = { additionalProperties: false };
const AnyObject = Type.Unsafe<Readonly<Record<string, Json>>>({ type: 'object' });

const Text = Type.Object({ type: Type.Literal('text'), text: Type.String() });
const Refusal = Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() });
const Image = Type.Object({
  type: Type.Literal('image_url'),
  image_url: Type.Union([Type.String(), Type.Object({ url: Type.String() })], {
    errorMessage: 'image_url must be a string or an object with a url',
  }),
});

const contentMessage = 'content must be a string or an array of parts';
const TextContent = named(
  'TextContent',
  Type.Union(
    [Type.String(), Type.Array(withOnly(Type.Union([Text, Refusal]), 'Only text parts are supported here'))],
    { errorMessage: contentMessage },
  ),
);
const UserContent = Type.Union(
  [
    Type.String(),
    Type.Array(withOnly(Type.Union([Text, Image]), 'Only text and image_url parts are supported')),
  ],
  { errorMessage: contentMessage },
);

function withOnly<Schema extends object>(schema: Schema, errorMessage: string): Schema {
  return { ...schema, errorMessage };
}

const ToolCall = Type.Object({
  id: Type.String({ minLength: 1 }),
  type: Type.Optional(Type.Literal('function')),
  function: Type.Object({ name: Type.String({ minLength: 1 }), arguments: Type.String() }),
});

const Instructions = (role: 'system' | 'developer') =>
  Type.Object({ role: Type.Literal(role), content: TextContent });

const AnyMessage = Type.Union(
  [
    Type.Object({ role: Type.Literal('user'), content: UserContent }),
    Type.Object({
      role: Type.Literal('assistant'),
      content: Nullable(TextContent),
      tool_calls: Nullable(Type.Array(ToolCall)),
    }),
    Type.Object({
      role: Type.Literal('tool'),
      tool_call_id: Type.String({ minLength: 1 }),
      content: TextContent,
    }),
    Instructions('system'),
    Instructions('developer'),
  ],
  { errorMessage: 'role must be system, developer, user, assistant or tool' },
);
const Message = named('RouterChatMessage', AnyMessage);

const Tool = Type.Object({
  type: Type.Literal('function', { errorMessage: 'Only tools of type function are supported' }),
  function: Type.Object({
    name: Type.String({ pattern: '^[A-Za-z0-9_.:-]{1,128}$' }),
    description: Nullable(Type.String()),
    parameters: Nullable(AnyObject),
    strict: Nullable(Type.Boolean()),
  }),
});

const ToolChoice = Type.Union(
  [
    Type.Literal('none'),
    Type.Literal('auto'),
    Type.Literal('required'),
    Type.Object({
      type: Type.Literal('function'),
      function: Type.Object({ name: Type.String({ minLength: 1 }) }),
    }),
  ],
  { errorMessage: 'tool_choice must be none, auto, required or a function' },
);

const ResponseFormat = Type.Union(
  [
    Type.Object({ type: Type.Literal('text') }),
    Type.Object({ type: Type.Literal('json_object') }),
    Type.Object({
      type: Type.Literal('json_schema'),
      json_schema: Type.Object({
        name: Type.Optional(Type.String({ minLength: 1 })),
        schema: AnyObject,
        description: Nullable(Type.String()),
        strict: Nullable(Type.Boolean()),
      }),
    }),
  ],
  { errorMessage: 'response_format.type must be text, json_object or json_schema' },
);

const between = (name: string, minimum: number, maximum: number) =>
  Nullable(
    Type.Number({
      minimum,
      maximum,
      errorMessage: `${name} must be a number between ${minimum} and ${maximum}`,
    }),
  );
const tokensMax = (name: string) =>
  Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      errorMessage: `${name} must be an integer of at least 1`,
    }),
  );

const StopText = Type.String({ minLength: 1, errorMessage: 'stop must hold non-empty strings' });

const fields = {
  model: Type.String({ minLength: 1, errorCode: 'invalid_model' }),
  messages: Type.Array(Message, { minItems: 1, errorMessage: 'messages must be a non-empty array' }),
  max_tokens: tokensMax('max_tokens'),
  max_completion_tokens: tokensMax('max_completion_tokens'),
  temperature: between('temperature', 0, 2),
  top_p: between('top_p', 0, 1),
  stop: Nullable(Type.Union([StopText, Type.Array(StopText, { maxItems: 64 })])),
  stream: Nullable(Type.Boolean()),
  stream_options: Nullable(Type.Object({ include_usage: Nullable(Type.Boolean()) })),
  tools: Nullable(Type.Array(Tool)),
  tool_choice: Nullable(ToolChoice),
  parallel_tool_calls: Nullable(Type.Boolean()),
  response_format: Nullable(ResponseFormat),
  seed: Nullable(Type.Integer()),
  presence_penalty: between('presence_penalty', -2, 2),
  frequency_penalty: between('frequency_penalty', -2, 2),
  reasoning_effort: Nullable(
    Type.Union(
      ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'].map((effort) => Type.Literal(effort)),
      { errorMessage: 'reasoning_effort must be none, minimal, low, medium, high, xhigh or max' },
    ),
  ),
  user: Nullable(Type.String()),
  n: Nullable(Type.Literal(1, { errorMessage: 'n can only be 1' })),
};

/** Unknown fields are passed over. Contract 14.6. */
export const RouterChatRequest = Type.Object(
  described(fields, {
    model: '`provider/model`, or an alias.',
    max_tokens: 'The longest answer.',
    max_completion_tokens: 'Another name of `max_tokens`.',
    stop: 'Ends the answer before the first of these texts.',
    stream_options: '`include_usage` adds a last chunk with the usage.',
    response_format:
      'A model that cannot enforce a schema is asked up to three times; then the request fails with 502.',
    user: 'Has no effect.',
  }),
);
export type RouterChatRequest = Static<typeof RouterChatRequest>;

const count = Type.Integer({ minimum: 0 });

/** Everything that a reply may hold, and its keys in order. */
export const RouterChatResponse = Type.Object(
  {
    id: Type.String({ pattern: '^chatcmpl-' }),
    object: Type.Literal('chat.completion'),
    created: Type.Integer({ description: 'Unix seconds.' }),
    model: Type.String(),
    choices: Type.Array(
      Type.Object(
        {
          index: Type.Literal(0),
          message: Type.Object(
            {
              role: Type.Literal('assistant'),
              content: Type.Union([Type.String(), Type.Null()]),
              refusal: Type.Null(),
              tool_calls: Type.Optional(
                Type.Array(
                  Type.Object(
                    {
                      id: Type.String({ minLength: 1 }),
                      type: Type.Literal('function'),
                      function: Type.Object({ name: Type.String(), arguments: Type.String() }, strict),
                    },
                    strict,
                  ),
                ),
              ),
            },
            strict,
          ),
          logprobs: Type.Null(),
          finish_reason: Type.Union(
            ['stop', 'length', 'tool_calls', 'content_filter'].map((reason) => Type.Literal(reason)),
          ),
        },
        strict,
      ),
      { minItems: 1, maxItems: 1 },
    ),
    usage: Type.Object(
      {
        prompt_tokens: count,
        completion_tokens: count,
        total_tokens: count,
        prompt_tokens_details: Type.Object({ cached_tokens: count }, strict),
        completion_tokens_details: Type.Object({ reasoning_tokens: count }, strict),
      },
      strict,
    ),
    system_fingerprint: Type.Null({ description: 'Not told.' }),
  },
  strict,
);
