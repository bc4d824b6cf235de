import { Type, type Static } from 'typebox';
import { Count, Literals, named, Nullable, Open, orNull, Strict } from '../../../../kernel/kit/schema.ts';
import {
  CompletionCall,
  CompletionContent,
  CompletionTool,
  CompletionToolChoice,
  JsonSchemaFormat,
  TextPart,
} from '../../../models/feature.ts';

const Refusal = Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() });
const Image = Type.Object({
  type: Type.Literal('image_url'),
  image_url: Type.Union([Type.String(), Type.Object({ url: Type.String() })], {
    errorMessage: 'image_url must be a string or an object with a url',
  }),
});

const TextContent = named(
  'TextContent',
  CompletionContent(Type.Union([TextPart, Refusal]), 'Only text parts are supported here'),
);
const UserContent = CompletionContent(
  Type.Union([TextPart, Image]),
  'Only text and image_url parts are supported',
);

const Instructions = (role: 'system' | 'developer') =>
  Type.Object({ role: Type.Literal(role), content: TextContent });

const Message = named(
  'RouterChatMessage',
  Type.Union(
    [
      Type.Object({ role: Type.Literal('user'), content: UserContent }),
      Type.Object({
        role: Type.Literal('assistant'),
        content: Nullable(TextContent),
        tool_calls: Nullable(Type.Array(CompletionCall)),
        reasoning_details: Type.Optional(
          Type.Unknown({
            description: 'A list as OpenRouter tells it. It reaches models whose backend reads it.',
          }),
        ),
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
  ),
);

const ResponseFormat = Type.Union(
  [
    Type.Object({ type: Type.Literal('text') }),
    Type.Object({ type: Type.Literal('json_object') }),
    JsonSchemaFormat(),
  ],
  { errorMessage: 'response_format.type must be text, json_object or json_schema' },
);

const between = (name: string, minimum: number, maximum: number) => {
  const errorMessage = `${name} must be a number between ${minimum} and ${maximum}`;
  return Nullable(Type.Number({ minimum, maximum, errorMessage }));
};
const tokensMax = (name: string) => {
  const errorMessage = `${name} must be an integer of at least 1`;
  return Nullable(Type.Integer({ minimum: 1, maximum: 2_147_483_647, errorMessage }));
};

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
  tools: Nullable(Type.Array(CompletionTool)),
  tool_choice: Nullable(CompletionToolChoice),
  parallel_tool_calls: Nullable(Type.Boolean()),
  response_format: Nullable(ResponseFormat),
  seed: Nullable(Type.Integer()),
  presence_penalty: between('presence_penalty', -2, 2),
  frequency_penalty: between('frequency_penalty', -2, 2),
  reasoning_effort: Nullable(
    Literals(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'], {
      errorMessage: 'reasoning_effort must be none, minimal, low, medium, high, xhigh or max',
    }),
  ),
  user: Nullable(Type.String()),
  n: Nullable(Type.Literal(1, { errorMessage: 'n can only be 1' })),
};

/** Unknown fields are passed over. Contract 14.6. */
export const RouterChatRequest = Open(fields, {
  model: '`provider/model`, or an alias.',
  max_tokens: 'The longest answer.',
  max_completion_tokens: 'Another name of `max_tokens`.',
  stop: 'Ends the answer before the first of these texts.',
  stream_options: '`include_usage` adds a last chunk with the usage.',
  response_format:
    'A model that cannot enforce a schema is asked up to three times; then the request fails with 502.',
  user: 'Has no effect.',
});
export type RouterChatRequest = Static<typeof RouterChatRequest>;

/** Everything that a reply may hold, and its keys in order. */
export const RouterChatResponse = Strict({
  id: Type.String({ pattern: '^chatcmpl-' }),
  object: Type.Literal('chat.completion'),
  created: Type.Integer({ description: 'Unix seconds.' }),
  model: Type.String(),
  choices: Type.Array(
    Strict({
      index: Type.Literal(0),
      message: Strict({
        role: Type.Literal('assistant'),
        content: orNull(Type.String()),
        refusal: Type.Null(),
        tool_calls: Type.Optional(
          Type.Array(
            Strict({
              id: Type.String({ minLength: 1 }),
              type: Type.Literal('function'),
              function: Strict({ name: Type.String(), arguments: Type.String() }),
            }),
          ),
        ),
      }),
      logprobs: Type.Null(),
      finish_reason: Literals(['stop', 'length', 'tool_calls', 'content_filter']),
    }),
    { minItems: 1, maxItems: 1 },
  ),
  usage: Strict({
    prompt_tokens: Count,
    completion_tokens: Count,
    total_tokens: Count,
    prompt_tokens_details: Strict({ cached_tokens: Count }),
    completion_tokens_details: Strict({ reasoning_tokens: Count }),
  }),
  system_fingerprint: Type.Null({ description: 'Not told.' }),
});
