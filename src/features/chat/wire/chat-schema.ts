import { Type, type Static } from 'typebox';
import { described, named, Nullable, oneOf } from '../../../kernel/kit/schema.ts';
import type { Settings } from '../../../kernel/feature.ts';
import {
  CompletionTool,
  CompletionToolChoice,
  JsonSchemaFormat,
  toolChoiceMessage,
} from '../../models/feature.ts';
import { ChatMessage } from './chat-message-schema.ts';
import { ChatModelName } from './chat-models.ts';
import { searchFields } from './chat-search-schema.ts';

const formatMessage = 'response_format.type must be text, json_schema or regex';
const schemaMessage = 'response_format.json_schema.schema is not a valid JSON Schema: it must be an object';
const regexMessage = 'response_format.regex.regex is not a valid expression';

const ResponseFormat = Type.Union(
  [
    Type.Object({ type: Type.Literal('text') }),
    JsonSchemaFormat({ errorMessage: schemaMessage }),
    Type.Object({
      type: Type.Literal('regex'),
      regex: Type.Object(
        {
          regex: Type.String({
            minLength: 1,
            maxLength: 4_096,
            errorMessage: regexMessage,
            description: 'What the whole answer matches, in the syntax of RE2.',
          }),
          name: Nullable(Type.String()),
          description: Nullable(Type.String()),
          strict: Nullable(Type.Boolean()),
        },
        { errorMessage: regexMessage },
      ),
    }),
  ],
  { errorMessage: formatMessage },
);

const between = (name: string, minimum: number, maximum: number) => {
  const errorMessage = `${name} must be a number between ${minimum} and ${maximum}`;
  return Nullable(Type.Number({ minimum, maximum, errorMessage }), { errorMessage });
};
const integer = (minimum: number, maximum: number, errorMessage: string) =>
  Nullable(Type.Integer({ minimum, maximum, errorMessage }), { errorMessage });
const tokensMax = integer(1, 128_000, 'max_tokens must be an integer between 1 and 128000');

const stopMessage = 'stop must be a non-empty string or up to 16 of them';
const StopText = Type.String({ minLength: 1, errorMessage: stopMessage });

/** Contract 9.1. Unknown fields are passed over. */
export function ChatRequest(settings: Settings) {
  return named(
    'ChatRequest',
    Type.Object({ model: ChatModelName(settings), ...described(fields, meanings) }),
  );
}

const fields = {
  messages: Type.Array(ChatMessage, {
    minItems: 1,
    errorMessage: 'messages must be a non-empty array',
  }),
  max_tokens: tokensMax,
  max_completion_tokens: tokensMax,
  stream: Nullable(Type.Boolean()),
  stream_mode: oneOf('stream_mode', ['full', 'concise']),
  stream_options: Nullable(Type.Object({ include_usage: Nullable(Type.Boolean()) })),
  stop: Nullable(
    Type.Union([StopText, Type.Array(StopText, { maxItems: 16, errorMessage: stopMessage })], {
      errorMessage: stopMessage,
    }),
    { errorMessage: stopMessage },
  ),
  temperature: between('temperature', 0, 2),
  top_p: between('top_p', 0, 1),
  top_k: integer(0, 2_048, 'top_k must be an integer between 0 and 2048'),
  presence_penalty: between('presence_penalty', -2, 2),
  frequency_penalty: between('frequency_penalty', -2, 2),
  response_format: Nullable(ResponseFormat, { errorMessage: formatMessage }),
  tools: Nullable(Type.Array(CompletionTool, { maxItems: 128 })),
  tool_choice: Nullable(CompletionToolChoice, { errorMessage: toolChoiceMessage }),
  parallel_tool_calls: Nullable(Type.Boolean()),
  ...searchFields,
  return_related_questions: Nullable(Type.Boolean()),
  reasoning_effort: oneOf('reasoning_effort', ['minimal', 'low', 'medium', 'high']),
  language_preference: Nullable(Type.String()),
};

const meanings = {
  messages:
    'Messages of the system first, then `user` and `assistant` in turn; after an assistant message with `tool_calls` one `tool` message for each. The last is of `user` or `tool`.',
  max_tokens: 'The longest answer. Unit: tokens.',
  max_completion_tokens: 'Another name of `max_tokens`; both have to be equal.',
  stream_mode:
    '`full`, the default, repeats the whole text and all sources in each chunk; `concise` does not.',
  stream_options: 'Has no effect: usage is always sent.',
  stop: 'Ends the answer before the first of these texts.',
  temperature: '0.2 by default.',
  top_p: '0.9 by default.',
  top_k: '0 is off.',
  response_format:
    'The answer is held back until it is valid; after three attempts the request fails with 502.',
  tools: 'Functions of yours. Not with `svc` and `svc-deep-research`.',
  return_related_questions: 'Adds three to five questions that lead on.',
  reasoning_effort:
    'Rounds of `svc-deep-research`: 3 with `low` and `minimal`, 6 with `medium`, the default, 10 with `high`. Other models take it without effect.',
  language_preference: 'Language of the answer.',
};

export type ChatRequest = Static<ReturnType<typeof ChatRequest>>;
