import { Type, type Static, type TSchema } from 'typebox';
import { AnyObject, described, named, orNull } from '../../../../kernel/kit/schema.ts';
import { DocumentSource, ImageSource, MessagesToolChoice, share, ToolUseBlock } from '../messages/schema.ts';

const Anything = (description: string) => Type.Optional(Type.Unsafe<unknown>({ description }));
const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(orNull(schema));

const cache_control = Anything('A mark of the prompt cache, for backends that have one.');

const blockTypes = new Set([
  'text',
  'image',
  'document',
  'search_result',
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
]);

/** A block of a type that nobody here knows. One that is known has to be as it should be, and where it belongs. */
function Other(message: string) {
  const block = Type.Object({ type: Type.String() }, { description: 'Of any other type: passed over.' });
  const isOther = ({ type }: { readonly type: string }) => !blockTypes.has(type);
  return Type.Unsafe<{ readonly type: 'other' }>(Type.Refine(block, isOther, () => message));
}

const text = named(
  'AnthropicText',
  Type.Object({ type: Type.Literal('text'), text: Type.String(), cache_control }),
);
const image = named(
  'AnthropicImage',
  Type.Object({ type: Type.Literal('image'), source: ImageSource, cache_control }),
);

const ContentSource = Type.Object({
  type: Type.Literal('content'),
  content: Type.Union([Type.String(), Type.Array(Type.Union([text, image]))]),
});
const document = named(
  'AnthropicDocument',
  Type.Object({
    type: Type.Literal('document'),
    source: Type.Union([...DocumentSource.anyOf, ContentSource], {
      errorMessage: 'source.type must be base64, text, url or content; files are not kept here',
    }),
    title: maybe(Type.String()),
    context: maybe(Type.String()),
    citations: Anything('Passed over.'),
    cache_control,
  }),
);
const searchResult = named(
  'AnthropicSearchResult',
  Type.Object({
    type: Type.Literal('search_result'),
    source: Type.String(),
    title: Type.String(),
    content: Type.Array(text),
    citations: Anything('Passed over.'),
    cache_control,
  }),
);

function Content<Members extends TSchema[]>(members: [...Members], where: string) {
  const Block = Type.Union([...members, Other(`A block of this type has no place in ${where}`)]);
  return Type.Union([Type.String(), Type.Array(Block)], {
    errorMessage: 'content must be a string or an array of blocks',
  });
}

const toolResult = named(
  'AnthropicToolResult',
  Type.Object({
    type: Type.Literal('tool_result'),
    tool_use_id: Type.String({ minLength: 1 }),
    content: maybe(Content([text, image, document, searchResult], 'the result of a tool')),
    is_error: maybe(Type.Boolean()),
    cache_control,
  }),
);
const toolUse = named('AnthropicToolUse', Type.Object({ ...ToolUseBlock.properties, cache_control }));
const thinking = Type.Object({
  type: Type.Literal('thinking'),
  thinking: Type.String(),
  signature: maybe(Type.String()),
});
const redacted = Type.Object({ type: Type.Literal('redacted_thinking'), data: Type.String() });

const Message = named(
  'AnthropicMessage',
  Type.Union(
    [
      Type.Object({
        role: Type.Literal('user'),
        content: Content([text, image, document, searchResult, toolResult], 'a message of the user'),
      }),
      Type.Object({
        role: Type.Literal('assistant'),
        content: Content([text, toolUse, thinking, redacted], 'a message of the assistant'),
      }),
      Type.Object({
        role: Type.Literal('system'),
        content: Type.Optional(Content([text], 'a message of the system')),
        clear_at: maybe(Type.String()),
      }),
    ],
    { errorMessage: 'role must be user, assistant or system' },
  ),
);

const Tool = named(
  'AnthropicTool',
  Type.Object({
    type: maybe(Type.String({ description: '`custom`, or a type of Anthropic’s.' })),
    name: Type.Optional(Type.String()),
    description: maybe(Type.String()),
    input_schema: Type.Optional(AnyObject),
    strict: maybe(Type.Boolean()),
    defer_loading: maybe(Type.Boolean()),
    cache_control,
  }),
);
export type Tool = Static<typeof Tool>;

const Format = Type.Object({ type: Type.Literal('json_schema'), schema: AnyObject });
const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

const fields = described(
  {
    model: Type.String({ minLength: 1, errorMessage: 'Field required' }),
    messages: Type.Array(Message, { minItems: 1, errorMessage: 'messages must be a non-empty array' }),
    system: maybe(Content([text], 'system')),
    thinking: maybe(
      Type.Object({
        type: Type.String(),
        budget_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
        display: maybe(Type.String()),
      }),
    ),
    output_config: maybe(
      Type.Object({
        effort: maybe(Type.Union(efforts.map((word) => Type.Literal(word)))),
        format: maybe(Format),
      }),
    ),
    output_format: maybe(Format),
    tools: maybe(Type.Array(Tool)),
    tool_choice: maybe(MessagesToolChoice),
    thread: maybe(Type.Object({ type: Type.String() })),
  },
  {
    model:
      'A model of the list, its name without the provider, or an alias; `anthropic.default_model` is any other.',
    messages: 'The first is of `user`; neighbours of one role are merged.',
    thinking: '`enabled` with `budget_tokens`, `adaptive` or `disabled`.',
    output_config: '`effort`, and `format` with a JSON Schema for the answer.',
    tools: 'Of Anthropic’s own, those that the client runs are passed on as functions.',
    thread: '`create` is passed over: this server holds no conversations.',
  },
);

export const AnthropicCountRequest = Type.Object(fields);
export type AnthropicCountRequest = Static<typeof AnthropicCountRequest>;

const tokensMax = 2_147_483_647;

export const AnthropicMessageRequest = Type.Object({
  ...fields,
  max_tokens: Type.Integer({
    minimum: 1,
    maximum: tokensMax,
    errorMessage: `must be an integer between 1 and ${tokensMax}`,
    description: 'The longest answer; clipped to what the model can do.',
  }),
  stream: maybe(Type.Boolean()),
  temperature: share('temperature'),
  top_p: share('top_p'),
  top_k: maybe(Type.Integer({ minimum: 0 })),
  stop_sequences: maybe(Type.Array(Type.String({ minLength: 1 }), { maxItems: 8_191 })),
});
export type AnthropicMessageRequest = Static<typeof AnthropicMessageRequest>;
