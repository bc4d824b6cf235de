import { Type, type Static } from 'typebox';
import type { Json } from '../../../kernel/kit/json.ts';
import { Nullable } from '../../../kernel/kit/schema.ts';
import { toolNames } from '../../tools/feature.ts';
import { described, named } from '../../../kernel/http/described.ts';
import { searchFilterFields } from '../../search/feature.ts';

export const strict = { additionalProperties: false };
export const AnyObject = Type.Unsafe<Readonly<Record<string, Json>>>({ type: 'object' });

export function intBetween(name: string, minimum: number, maximum: number) {
  const errorMessage = `${name} must be between ${minimum} and ${maximum}`;
  return Nullable(Type.Integer({ minimum, maximum }), { errorMessage });
}

export function intFrom(name: string, minimum: number) {
  const errorMessage = `${name} must be an integer of at least ${minimum}`;
  return Nullable(Type.Integer({ minimum, maximum: Number.MAX_SAFE_INTEGER }), { errorMessage });
}

export function numberBetween(name: string, minimum: number, maximum: number) {
  const errorMessage = `${name} must be between ${minimum} and ${maximum}`;
  return Nullable(Type.Number({ minimum, maximum }), { errorMessage });
}

/** One of these words. */
export function oneOf<const Values extends readonly string[]>(name: string, values: Values) {
  const errorMessage = `${name} must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
  const member = Type.Union(
    values.map((value) => Type.Literal(value)),
    { errorMessage },
  );
  return Nullable(Type.Unsafe<Values[number]>(member), { errorMessage });
}

const {
  search_domain_filter,
  search_recency_filter,
  search_after_date_filter,
  search_before_date_filter,
  last_updated_after_filter,
  last_updated_before_filter,
} = searchFilterFields;

/** The rules are in contract 11.2. */
const Filters = Type.Object(
  {
    search_domain_filter,
    search_recency_filter,
    search_after_date_filter,
    search_before_date_filter,
    last_updated_after_filter,
    last_updated_before_filter,
  },
  strict,
);

const Location = named(
  'Location',
  Type.Object({
    latitude: numberBetween('latitude', -90, 90),
    longitude: numberBetween('longitude', -180, 180),
    country: Nullable(Type.String({ maxLength: 64 })),
    region: Nullable(Type.String({ maxLength: 128 })),
    city: Nullable(Type.String({ maxLength: 128 })),
  }),
  'Where the user is, for the search.',
);

const budget = (name: string) => intBetween(name, 1, 1_000_000);

const WebSearch = Type.Object(
  described(
    {
      type: Type.Literal('web_search'),
      filters: Nullable(Filters),
      search_type: oneOf('search_type', ['web', 'fast']),
      search_context_size: oneOf('search_context_size', ['low', 'medium', 'high']),
      max_results: intBetween('max_results', 1, 50),
      max_tokens: budget('max_tokens'),
      max_tokens_per_page: budget('max_tokens_per_page'),
      user_location: Nullable(Location),
    },
    {
      search_context_size: 'Sets both budgets of tokens where neither is sent.',
      max_tokens: 'Text of all results of one search.',
      max_tokens_per_page: 'Text of one result.',
    },
  ),
  strict,
);

const FunctionTool = Type.Object(
  described(
    {
      type: Type.Literal('function'),
      name: Type.String({
        pattern: '^[A-Za-z0-9_-]{1,64}$',
        errorMessage: 'name must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -',
        errorCode: 'invalid_tool',
      }),
      description: Nullable(Type.String()),
      parameters: Nullable(AnyObject),
      strict: Nullable(Type.Boolean()),
    },
    { parameters: 'JSON Schema of the arguments.' },
  ),
  strict,
);

const anyTool = Type.Union(
  [
    WebSearch,
    Type.Object(
      described(
        {
          type: Type.Literal('fetch_url'),
          max_urls: intBetween('max_urls', 1, 10),
          total_budget_tokens: intBetween('total_budget_tokens', 1, 120_000),
        },
        { max_urls: 'Pages of one call.', total_budget_tokens: 'Text of all pages of one call.' },
      ),
      strict,
    ),
    Type.Object(
      {
        type: Type.Literal('people_search'),
        max_tokens: budget('max_tokens'),
        max_tokens_per_page: budget('max_tokens_per_page'),
      },
      strict,
    ),
    Type.Object({ type: Type.Literal('finance_search') }, strict),
    Type.Object({ type: Type.Literal('sandbox') }, strict),
    FunctionTool,
  ],
  { errorMessage: 'unknown discriminator value: "{value}"', tagCode: 'invalid_tool' },
);
export const Tool = named(
  'Tool',
  anyTool,
  'Each built-in tool may stand in a request once. The function is yours: a call of it ends the run with `requires_action`.',
);
export type Tool = Static<typeof Tool>;
export type FunctionTool = Extract<Tool, { type: 'function' }>;
export type BuiltinTool = Exclude<Tool, FunctionTool>;

const utf8Bytes = (max: number) => (text: unknown) =>
  typeof text === 'string' && Buffer.byteLength(text) <= max;
const Bounded = (name: string, bytesMax: number) =>
  Type.Refine(Type.String(), utf8Bytes(bytesMax), () => `${name} must be at most ${bytesMax} bytes`);

export const Skill = Type.Union(
  [
    Type.Object(
      described(
        {
          type: Type.Literal('custom'),
          id: Type.String({ minLength: 1, errorMessage: 'id must name a skill' }),
          version: Nullable(Type.String({ minLength: 1 })),
        },
        { id: 'A skill of the account.', version: 'A revision, or `latest`, which is the default.' },
      ),
      strict,
    ),
    Type.Object(
      {
        type: Type.Literal('inline'),
        name: Type.String({
          pattern: '^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$',
          errorMessage: 'name must be up to 64 characters of a-z, 0-9 and single dashes',
        }),
        description: Bounded('description', 1_024),
        instructions: Bounded('instructions', 65_536),
      },
      strict,
    ),
    Type.Object({ type: Type.Literal('builtin'), name: Type.String() }, strict),
  ],
  {
    errorMessage: 'unknown discriminator value: "{value}"',
    tagCode: 'invalid_value',
    title: 'SkillReference',
    description: 'The model sees name and description, and loads the rest when it needs it.',
  },
);
export type Skill = Static<typeof Skill>;

const ToolType = Type.Union(
  toolNames.map((name) => Type.Literal(name)),
  { errorMessage: 'tool_choice.type is not the type of a tool' },
);
const Allowed = Type.Object({
  type: Type.Literal('allowed_tools'),
  mode: Type.Union([Type.Literal('auto'), Type.Literal('required')], {
    errorMessage: 'mode must be auto or required',
  }),
  tools: Type.Array(Type.Object({ type: Type.String(), name: Type.Optional(Type.String()) }), {
    minItems: 1,
  }),
});
const Forced = Type.Object({ type: Type.Literal('function'), name: Type.String() });

export type ToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | Static<typeof Forced>
  | Static<typeof Allowed>
  | { readonly type: (typeof toolNames)[number] }
  | { readonly name: string };

export const ToolChoice = Type.Unsafe<ToolChoice>(
  Type.Union(
    [
      Type.Literal('none'),
      Type.Literal('auto'),
      Type.Literal('required'),
      Forced,
      Allowed,
      Type.Object({ type: ToolType }),
      Type.Object({ name: Type.String({ minLength: 1 }) }, strict),
    ],
    {
      title: 'ToolChoice',
      errorMessage:
        'tool_choice must be none, auto, required, or an object that names a function, a tool or allowed_tools',
    },
  ),
);
