import { Type } from 'typebox';
import { WireVerification } from '../../verification/feature.ts';
import { AnyObject, Count, Dictionary, Literals, named, Open, orNull } from '../../../kernel/kit/schema.ts';

const text = Type.String();

const usageFields = {
  input_tokens: Count,
  output_tokens: Count,
  total_tokens: Count,
  input_tokens_details: Type.Object({
    cache_creation_input_tokens: Count,
    cache_read_input_tokens: Count,
    cached_tokens: Count,
  }),
  output_tokens_details: Type.Object({ reasoning_tokens: Count }),
  tool_calls_details: Dictionary(Type.Object({ invocation: Count, cost_usd: Type.Number() })),
  cost: Type.Object({
    currency: Type.Literal('USD'),
    input_cost: Type.Number(),
    output_cost: Type.Number(),
    cache_creation_cost: Type.Number(),
    cache_read_cost: Type.Number(),
    tool_calls_cost: Type.Number(),
    total_cost: Type.Number(),
  }),
};
const Usage = named(
  'AgentUsage',
  Open(usageFields, {
    input_tokens: 'Cached ones included.',
    output_tokens: 'Reasoning included.',
    tool_calls_details:
      'By `search_web`, `search_people`, `fetch_url`, `finance_search` and `sandbox`; empty where none ran.',
    cost: '`total_cost` is the sum of the others.',
  }),
);

const fields = {
  id: Type.String({ pattern: '^resp_' }),
  object: Type.Literal('response'),
  created_at: Type.Integer(),
  completed_at: orNull(Type.Integer()),
  status: Literals(['completed', 'failed', 'in_progress', 'requires_action']),
  model: text,
  output: Type.Array(AnyObject),
  error: orNull(Type.Object({ message: text, code: text, type: text })),
  incomplete_details: orNull(Type.Object({ reason: Type.Literal('max_output_tokens') })),
  usage: orNull(Usage),
  background: Type.Boolean(),
  store: Type.Boolean(),
  previous_response_id: orNull(text),
  instructions: orNull(text),
  metadata: Dictionary(text),
  max_output_tokens: orNull(Type.Integer()),
  max_tool_calls: orNull(Type.Integer()),
  max_steps: Type.Integer(),
  parallel_tool_calls: Type.Boolean(),
  temperature: Type.Number(),
  top_p: Type.Number(),
  presence_penalty: Type.Number(),
  frequency_penalty: Type.Number(),
  top_logprobs: Type.Integer(),
  reasoning: orNull(Type.Object({ effort: orNull(text), summary: Type.Null() })),
  service_tier: Type.Literal('default'),
  text: Type.Object({ format: AnyObject }),
  tool_choice: Type.Unsafe<unknown>({}),
  tools: Type.Array(AnyObject),
  truncation: Literals(['auto', 'disabled']),
  user: orNull(text),
  safety_identifier: orNull(text),
  prompt_cache_key: orNull(text),
  verification: Type.Optional(WireVerification),
};

const asSent = 'As it was sent, or what stands for it.';
/** Contract 7.4. */
export const AgentResponse = named(
  'AgentResponse',
  Open(fields, {
    created_at: 'Unix seconds.',
    completed_at: 'Unix seconds; null until the response is finished, and when it failed.',
    status: '`requires_action` waits for results of `function_call` items, which a new request brings.',
    model: 'The model that answered, or is to answer first.',
    output: 'Items in order; empty while the response is made.',
    error: 'Null unless `status` is `failed`.',
    incomplete_details: 'Where the text was cut.',
    usage: 'Null while the response is made.',
    metadata: asSent,
    tool_choice: asSent,
    tools: 'Those that the request named, without those of the preset.',
  }),
);

export const Cancelling = Type.Object({ response_id: text, status: Type.Literal('cancelling') });
export const Deleted = Type.Object({
  id: text,
  object: Type.Literal('response'),
  deleted: Type.Literal(true),
});
export const FileList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(
    Type.Object({
      id: text,
      object: Type.Literal('file'),
      filename: text,
      bytes: Count,
      created_at: Type.Integer({ description: 'Unix seconds.' }),
    }),
  ),
});
