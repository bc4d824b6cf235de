import { Type, type Static } from 'typebox';
import { WireVerification } from '../../verification/feature.ts';
import { Count, described, Literals, named, orNull, Strict } from '../../../kernel/kit/schema.ts';

export const ChatSearchResult = named(
  'ChatSearchResult',
  Strict(
    {
      title: Type.String(),
      url: Type.String(),
      date: orNull(Type.String()),
      last_updated: orNull(Type.String()),
      snippet: Type.String(),
      source: Literals(['web', 'attachment']),
    },
    {
      date: 'Publication; null where it is not known.',
      last_updated: 'Last change; null where it is not known.',
      source: '`attachment` for a file of the request.',
    },
  ),
);
export type ChatSearchResult = Static<typeof ChatSearchResult>;

export const ReasoningStep = named(
  'ReasoningStep',
  Type.Union([
    Strict({
      thought: Type.String(),
      type: Type.Literal('web_search'),
      web_search: Strict({
        search_keywords: Type.Array(Type.String()),
        search_results: Type.Array(ChatSearchResult),
      }),
    }),
    Strict({
      thought: Type.String(),
      type: Type.Literal('fetch_url_content'),
      fetch_url_content: Strict({ contents: Type.Array(ChatSearchResult) }),
    }),
  ]),
);
export type ReasoningStep = Static<typeof ReasoningStep>;

const ToolCall = Strict({
  id: Type.String(),
  type: Type.Literal('function'),
  function: Strict({ name: Type.String(), arguments: Type.String() }),
});

const usd = Type.Number({ minimum: 0 });
const counts = described(
  {
    prompt_tokens: Count,
    completion_tokens: Count,
    total_tokens: Count,
    search_context_size: Literals(['low', 'medium', 'high']),
  },
  { prompt_tokens: 'Of the messages alone, without what was found.' },
);

/** Fixed sets of keys by model. Contract 9.4. */
const Usage = Strict({
  ...counts,
  cost: Strict({ input_tokens_cost: usd, output_tokens_cost: usd, request_cost: usd, total_cost: usd }),
});
const ResearchUsage = Strict({
  ...counts,
  citation_tokens: Count,
  num_search_queries: Count,
  reasoning_tokens: Count,
  cost: Strict({
    input_tokens_cost: usd,
    output_tokens_cost: usd,
    citation_tokens_cost: usd,
    reasoning_tokens_cost: usd,
    search_queries_cost: usd,
    total_cost: usd,
  }),
});
export type ChatUsage = Static<typeof Usage> | Static<typeof ResearchUsage>;

const Image = Strict({
  image_url: Type.String(),
  origin_url: Type.String(),
  title: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
});
const Video = Strict({
  url: Type.String(),
  thumbnail_url: orNull(Type.String()),
  thumbnail_width: orNull(Type.Integer()),
  thumbnail_height: orNull(Type.Integer()),
  duration: orNull(Type.Number()),
});

/** Everything that a completion may hold, and its keys in order. */
export const ChatResponse = named(
  'ChatCompletion',
  Strict({
    id: Type.String({ format: 'uuid' }),
    model: Type.String(),
    created: Type.Integer({ description: 'Unix seconds.' }),
    object: Type.Literal('chat.completion'),
    type: Type.Literal('message'),
    status: Type.Literal('COMPLETED'),
    choices: Type.Array(
      Strict({
        index: Type.Literal(0),
        finish_reason: Literals(['stop', 'length', 'tool_calls']),
        message: Strict({
          role: Type.Literal('assistant'),
          content: Type.String({ description: 'The answer; empty beside `tool_calls`.' }),
          reasoning_steps: Type.Optional(
            Type.Array(ReasoningStep, {
              description: 'Of `svc-reasoning-pro`, `svc-deep-research` and `search_type` `pro`.',
            }),
          ),
          tool_calls: Type.Optional(Type.Array(ToolCall)),
        }),
        delta: Strict({ role: Type.Literal('assistant'), content: Type.Literal('') }),
      }),
      { minItems: 1, maxItems: 1 },
    ),
    usage: named(
      'ChatUsage',
      Type.Union([Usage, ResearchUsage]),
      'The second form is that of `svc-deep-research`. Costs are in USD; `total_cost` is the sum of the others.',
    ),
    citations: Type.Optional(
      Type.Array(Type.String(), { description: 'Addresses of `search_results`, in their order.' }),
    ),
    search_results: Type.Array(ChatSearchResult, {
      description: 'The sources. `[1]` in the text names the first.',
    }),
    images: Type.Optional(Type.Array(Image, { description: 'With `return_images`.' })),
    videos: Type.Optional(Type.Array(Video, { description: 'With `return_videos`.' })),
    related_questions: Type.Optional(Type.Array(Type.String(), { minItems: 3, maxItems: 5 })),
    verification: Type.Optional(WireVerification),
  }),
);
export type ChatResponse = Static<typeof ChatResponse>;
