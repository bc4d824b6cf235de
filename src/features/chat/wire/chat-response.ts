import { Type, type Static } from 'typebox';
import { strict } from '../../../kernel/kit/schema.ts';
import { described, named } from '../../../kernel/http/described.ts';

const Nullable = <Schema extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(
  schema: Schema,
) => Type.Union([schema, Type.Null()]);

export const ChatSearchResult = named(
  'ChatSearchResult',
  Type.Object(
    described(
      {
        title: Type.String(),
        url: Type.String(),
        date: Nullable(Type.String()),
        last_updated: Nullable(Type.String()),
        snippet: Type.String(),
        source: Type.Union([Type.Literal('web'), Type.Literal('attachment')]),
      },
      {
        date: 'Publication; null where it is not known.',
        last_updated: 'Last change; null where it is not known.',
        source: '`attachment` for a file of the request.',
      },
    ),
    strict,
  ),
);
export type ChatSearchResult = Static<typeof ChatSearchResult>;

const Step = Type.Union([
  Type.Object(
    {
      thought: Type.String(),
      type: Type.Literal('web_search'),
      web_search: Type.Object(
        { search_keywords: Type.Array(Type.String()), search_results: Type.Array(ChatSearchResult) },
        strict,
      ),
    },
    strict,
  ),
  Type.Object(
    {
      thought: Type.String(),
      type: Type.Literal('fetch_url_content'),
      fetch_url_content: Type.Object({ contents: Type.Array(ChatSearchResult) }, strict),
    },
    strict,
  ),
]);
export const ReasoningStep = named('ReasoningStep', Step);
export type ReasoningStep = Static<typeof ReasoningStep>;

export const ToolCall = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal('function'),
    function: Type.Object({ name: Type.String(), arguments: Type.String() }, strict),
  },
  strict,
);

const count = Type.Integer({ minimum: 0 });
const usd = Type.Number({ minimum: 0 });
const counts = described(
  {
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    search_context_size: Type.Union([Type.Literal('low'), Type.Literal('medium'), Type.Literal('high')]),
  },
  { prompt_tokens: 'Of the messages alone, without what was found.' },
);

/** Fixed sets of keys by model. Contract 9.4. */
const Usage = Type.Object(
  {
    ...counts,
    cost: Type.Object(
      { input_tokens_cost: usd, output_tokens_cost: usd, request_cost: usd, total_cost: usd },
      strict,
    ),
  },
  strict,
);
const ResearchUsage = Type.Object(
  {
    ...counts,
    citation_tokens: count,
    num_search_queries: count,
    reasoning_tokens: count,
    cost: Type.Object(
      {
        input_tokens_cost: usd,
        output_tokens_cost: usd,
        citation_tokens_cost: usd,
        reasoning_tokens_cost: usd,
        search_queries_cost: usd,
        total_cost: usd,
      },
      strict,
    ),
  },
  strict,
);
const ChatUsageShape = named(
  'ChatUsage',
  Type.Union([Usage, ResearchUsage]),
  'The second form is that of `svc-deep-research`. Costs are in USD; `total_cost` is the sum of the others.',
);
export type ChatUsage = Static<typeof Usage> | Static<typeof ResearchUsage>;

const Image = Type.Object(
  {
    image_url: Type.String(),
    origin_url: Type.String(),
    title: Type.String(),
    width: Type.Integer(),
    height: Type.Integer(),
  },
  strict,
);
const Video = Type.Object(
  {
    url: Type.String(),
    thumbnail_url: Nullable(Type.String()),
    thumbnail_width: Nullable(Type.Integer()),
    thumbnail_height: Nullable(Type.Integer()),
    duration: Type.Union([Type.Number(), Type.Null()]),
  },
  strict,
);

const Completion = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    model: Type.String(),
    created: Type.Integer({ description: 'Unix seconds.' }),
    object: Type.Literal('chat.completion'),
    type: Type.Literal('message'),
    status: Type.Literal('COMPLETED'),
    choices: Type.Array(
      Type.Object(
        {
          index: Type.Literal(0),
          finish_reason: Type.Union([
            Type.Literal('stop'),
            Type.Literal('length'),
            Type.Literal('tool_calls'),
          ]),
          message: Type.Object(
            {
              role: Type.Literal('assistant'),
              content: Type.String({ description: 'The answer; empty beside `tool_calls`.' }),
              reasoning_steps: Type.Optional(
                Type.Array(ReasoningStep, {
                  description: 'Of `svc-reasoning-pro`, `svc-deep-research` and `search_type` `pro`.',
                }),
              ),
              tool_calls: Type.Optional(Type.Array(ToolCall)),
            },
            strict,
          ),
          delta: Type.Object({ role: Type.Literal('assistant'), content: Type.Literal('') }, strict),
        },
        strict,
      ),
      { minItems: 1, maxItems: 1 },
    ),
    usage: ChatUsageShape,
    citations: Type.Optional(
      Type.Array(Type.String(), { description: 'Addresses of `search_results`, in their order.' }),
    ),
    search_results: Type.Array(ChatSearchResult, {
      description: 'The sources. `[1]` in the text names the first.',
    }),
    images: Type.Optional(Type.Array(Image, { description: 'With `return_images`.' })),
    videos: Type.Optional(Type.Array(Video, { description: 'With `return_videos`.' })),
    related_questions: Type.Optional(Type.Array(Type.String(), { minItems: 3, maxItems: 5 })),
  },
  strict,
);
/** Everything that a completion may hold, and its keys in order. */
export const ChatResponse = named('ChatCompletion', Completion);
export type ChatResponse = Static<typeof ChatResponse>;
