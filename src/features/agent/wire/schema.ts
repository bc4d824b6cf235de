import { Type, type Static } from 'typebox';
import type { Json } from '../../../kernel/kit/json.ts';
import {
  AnyObject,
  described,
  Dictionary,
  intBetween,
  Nullable,
  numberBetween,
  oneOf,
  Strict,
} from '../../../kernel/kit/schema.ts';
import type { ToolSet } from '../../tools/feature.ts';
import { intFrom, Skill, toolChoiceSchema, toolsSchema } from './tool-schema.ts';

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

const format = described(
  {
    name: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      errorMessage: 'name must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -',
    }),
    schema: AnyObject,
    description: Nullable(Type.String()),
    strict: Nullable(Type.Boolean()),
  },
  { schema: 'JSON Schema that the text of the answer is valid against.' },
);
const TextFormat = Strict({ type: Type.Literal('text') });

const ResponseFormat = Type.Union(
  [TextFormat, Strict({ type: Type.Literal('json_schema'), json_schema: Strict(format) })],
  { errorMessage: 'response_format.type must be text or json_schema' },
);

export const OwnFormat = Type.Union([TextFormat, Strict({ type: Type.Literal('json_schema'), ...format })], {
  errorMessage: 'text.format.type must be text or json_schema',
});

const Text = Strict({
  format: Nullable(OwnFormat),
  verbosity: Nullable(Type.String()),
});

const Reasoning = Strict({
  effort: oneOf('reasoning.effort', efforts),
  summary: oneOf('reasoning.summary', ['auto', 'concise', 'detailed']),
  generate_summary: Nullable(Type.String()),
});

const StreamOptions = Type.Object({
  include_usage: Nullable(Type.Boolean()),
  include_obfuscation: Nullable(Type.Boolean()),
});

/** A field of other servers that means something there and nothing here, so only null will do. */
function nothing(name: string) {
  const never = Type.Unsafe<unknown>({});
  return Type.Optional(
    Type.Refine(never, (value) => value === null, () => `${name} is not supported`), // prettier-ignore
  );
}

export const fieldsBefore = {
  input: Type.Unsafe<string | readonly Json[]>(
    Type.Union([Type.String(), Type.Array(AnyObject)], {
      errorMessage: 'input must be a string or an array of items',
      description:
        'A text, or items: messages, `function_call`, `function_call_output`, `item_reference`, and every output item of an earlier response.',
    }),
  ),
  model: Nullable(Type.String()),
  models: Nullable(
    Type.Array(Type.String(), {
      minItems: 1,
      maxItems: 5,
      errorMessage: 'models must have between 1 and 5 entries',
    }),
  ),
  preset: Nullable(Type.String()),
  instructions: Nullable(Type.String()),
  language_preference: Nullable(Type.String(), {
    errorMessage: 'language_preference must be an ISO 639-1 code',
  }),
  max_output_tokens: intFrom('max_output_tokens', 1),
  max_steps: intBetween('max_steps', 1, 10),
  max_tool_calls: intFrom('max_tool_calls', 0),
  reasoning: Nullable(Reasoning),
  response_format: Nullable(ResponseFormat),
  text: Nullable(Text),
  stream: Nullable(Type.Boolean()),
  stream_options: Nullable(StreamOptions),
  background: Nullable(Type.Boolean()),
  store: Nullable(Type.Boolean()),
  previous_response_id: Nullable(Type.String()),
  temperature: numberBetween('temperature', 0, 2),
  top_p: numberBetween('top_p', 0, 1),
  presence_penalty: numberBetween('presence_penalty', -2, 2),
  frequency_penalty: numberBetween('frequency_penalty', -2, 2),
  parallel_tool_calls: Nullable(Type.Boolean()),
};

export const fieldsAfter = {
  skills: Nullable(Type.Array(Skill, { maxItems: 16, errorMessage: 'skills must have at most 16 entries' })),
  metadata: Nullable(
    Dictionary(
      Type.String({
        maxLength: 512,
        errorMessage: 'metadata values must be texts of at most 512 characters',
      }),
      {
        maxProperties: 16,
        propertyNames: Type.String({
          maxLength: 64,
          errorMessage: 'metadata keys must be at most 64 characters long',
        }),
        errorMessage: 'metadata must be an object of at most 16 pairs',
      },
    ),
  ),
  truncation: oneOf('truncation', ['auto', 'disabled']),
  include: Nullable(Type.Array(Type.String())),
  prompt_cache_key: Nullable(Type.String()),
  prompt_cache_retention: Nullable(Type.String()),
  safety_identifier: Nullable(Type.String()),
  user: Nullable(Type.String()),
  service_tier: Nullable(Type.String()),
  top_logprobs: Nullable(Type.Integer({ minimum: 0, maximum: 20 }), {
    errorMessage: 'top_logprobs must be between 0 and 20',
  }),
  conversation: nothing('conversation'),
  prompt: nothing('prompt'),
};

const noEffect = 'Has no effect.';
const comesBack = 'Comes back in the response; has no effect.';
const onlyNull = 'Null only.';
const meanings = {
  model: '`provider/model`. One of `model`, `models` and `preset` has to be there.',
  models:
    'Tried in order; stands over `model`. The next one is asked when one fails before its first output.',
  preset:
    '`fast-search`, `pro-search`, `deep-research` or `advanced-deep-research`: model, tools, steps and instructions. Every field of the request stands over it.',
  instructions: 'Replaces those of the preset; an empty text clears them.',
  language_preference: 'Language of the answer, as ISO 639-1.',
  max_output_tokens: 'The longest answer, reasoning included.',
  max_steps: 'Calls of the model with the tools that it called. That of the preset by default, else 1.',
  max_tool_calls: '0 turns all built-in tools off.',
  reasoning: 'Only `effort` has an effect.',
  text: '`format` means the same as `response_format`; the two may not differ.',
  stream_options: '`include_usage` is true by default; `include_obfuscation` has no effect.',
  background: 'Answers at once, and the run goes on. Needs `store`.',
  store: 'True by default. False: shown to nobody, and followed by `previous_response_id` for an hour.',
  previous_response_id:
    'A finished response of the account, whose input and output come before this input. Its instructions and tools are not inherited.',
  temperature: '1 by default.',
  top_p: '1 by default.',
  parallel_tool_calls: 'True by default.',
  tools: 'Merged with those of the preset, field by field.',
  metadata: 'Comes back in the response.',
  truncation: '`disabled` by default.',
  include: noEffect,
  prompt_cache_key:
    'Comes back. A server that keeps prompts by such keys gets a digest of it and of the account.',
  prompt_cache_retention: noEffect,
  safety_identifier: comesBack,
  user: comesBack,
  service_tier: noEffect,
  top_logprobs: comesBack,
  conversation: onlyNull,
  prompt: onlyNull,
};

/** Contract 7.1. */
export function agentRequestSchema(tools: ToolSet) {
  const fields = {
    ...fieldsBefore,
    tool_choice: Nullable(toolChoiceSchema(tools)),
    tools: Nullable(Type.Array(toolsSchema(tools))),
    ...fieldsAfter,
  };
  return Strict(fields, meanings);
}
export type AgentRequest = Static<ReturnType<typeof agentRequestSchema>>;
export type TextFormat = NonNullable<NonNullable<AgentRequest['text']>['format']>;
