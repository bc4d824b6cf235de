import { Type, type Static, type TSchema } from 'typebox';
import {
  AnyObject,
  Count,
  described,
  Literals,
  named,
  orNull,
  strict,
  Strict,
} from '../../../../kernel/kit/schema.ts';
import type { Settings } from '../../../../kernel/feature.ts';

/** A field that is refused by name; in lenient mode it is let in here and dropped later. */
function Refused(name: string, lenient: boolean) {
  if (lenient) return Type.Optional(Type.Unsafe<unknown>({ description: 'Ignored.' }));
  const nothing = Type.Unsafe<unknown>({
    not: {},
    description: 'Refused, unless `router.lenient` is set, which drops it.',
  });
  return Type.Optional(Type.Refine(nothing, () => false, () => `${name} is not supported`)); // prettier-ignore
}

const MediaType = Literals(['image/png', 'image/jpeg', 'image/gif', 'image/webp'], {
  errorMessage: 'media_type must be image/png, image/jpeg, image/gif or image/webp',
});
const RemoteSource = Type.Object({ type: Type.Literal('url'), url: Type.String({ minLength: 1 }) });

export const ImageSource = Type.Union(
  [
    Type.Object({ type: Type.Literal('base64'), media_type: MediaType, data: Type.String({ minLength: 1 }) }),
    RemoteSource,
  ],
  { errorMessage: 'source.type must be base64 or url' },
);
export type ImageSource = Static<typeof ImageSource>;

export const DocumentSource = Type.Union(
  [
    Type.Object({
      type: Type.Literal('base64'),
      media_type: Type.Literal('application/pdf', { errorMessage: 'media_type must be application/pdf' }),
      data: Type.String({ minLength: 1 }),
    }),
    Type.Object({
      type: Type.Literal('text'),
      media_type: Type.Literal('text/plain', { errorMessage: 'media_type must be text/plain' }),
      data: Type.String(),
    }),
    RemoteSource,
  ],
  { errorMessage: 'source.type must be base64, text or url' },
);
export type DocumentSource = Static<typeof DocumentSource>;

export const ToolUseBlock = Type.Object({
  type: Type.Literal('tool_use'),
  id: Type.String({ minLength: 1 }),
  name: Type.String({ minLength: 1 }),
  input: AnyObject,
});

function Blocks(lenient: boolean) {
  const cache_control = Refused('cache_control', lenient);
  const text = named(
    'TextBlock',
    Type.Object({ type: Type.Literal('text'), text: Type.String(), cache_control }),
  );
  const image = named(
    'ImageBlock',
    Type.Object({ type: Type.Literal('image'), source: named('ImageSource', ImageSource), cache_control }),
  );
  const document = Type.Object({
    type: Type.Literal('document'),
    source: named('DocumentSource', DocumentSource),
    title: Type.Optional(orNull(Type.String())),
    cache_control,
  });
  const toolResult = Type.Object({
    type: Type.Literal('tool_result'),
    tool_use_id: Type.String({ minLength: 1, description: 'The `id` of an earlier `tool_use`.' }),
    content: Type.Optional(
      Content([text, image], 'Only text and image blocks are supported in tool_result content'),
    ),
    is_error: Type.Optional(Type.Boolean()),
    cache_control,
  });
  const toolUse = Type.Object({ ...ToolUseBlock.properties, cache_control });
  const dropped = { description: 'Taken and dropped.' };
  const thinking = Type.Object(
    { type: Type.Literal('thinking'), thinking: Type.String(), cache_control },
    dropped,
  );
  const redacted = Type.Object(
    { type: Type.Literal('redacted_thinking'), data: Type.String(), cache_control },
    dropped,
  );
  return {
    text,
    user: Content(
      [text, image, document, toolResult],
      'Only text, image, document and tool_result blocks are supported in user messages',
    ),
    assistant: Content(
      [text, toolUse, thinking, redacted],
      'Only text, tool_use and thinking blocks are supported in assistant messages',
    ),
  };
}

function Content<Members extends TSchema[]>(members: [...Members], errorMessage: string) {
  const Block = Type.Union(members, { errorMessage });
  return Type.Union([Type.String(), Type.Array(Block)], {
    errorMessage: 'content must be a string or an array of blocks',
  });
}

function Thinking(lenient: boolean) {
  if (lenient) return Refused('thinking', true);
  const disabled = Type.Unsafe<unknown>({
    type: 'object',
    description: 'Only the type `disabled` is supported.',
  });
  const isDisabled = (value: unknown) => (value as { readonly type?: unknown }).type === 'disabled';
  return Type.Optional(
    Type.Refine(disabled, isDisabled, () => 'thinking is supported with type disabled only'),
  );
}

function Tool(lenient: boolean) {
  const tool = Type.Object({
    type: Type.Optional(Type.Literal('custom', { errorMessage: 'Only tools of type custom are supported' })),
    name: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,128}$',
      errorMessage: 'name must be 1 to 128 characters of A-Z, a-z, 0-9, _ and -',
    }),
    description: lenient
      ? Type.Optional(Type.String())
      : Type.String({ minLength: 1, errorMessage: 'description must be a non-empty string' }),
    input_schema: Type.Unsafe<Static<typeof AnyObject>>({
      type: 'object',
      properties: { type: { const: 'object' } },
      required: ['type'],
      description: 'JSON Schema of the arguments.',
      errorMessage: 'input_schema must be a JSON Schema of type object',
    }),
    cache_control: Refused('cache_control', lenient),
  });
  return named('MessagesTool', tool);
}

const parallel = { disable_parallel_tool_use: Type.Optional(Type.Boolean()) };
export const MessagesToolChoice = named(
  'MessagesToolChoice',
  Type.Union(
    [
      Type.Object({ type: Type.Literal('auto'), ...parallel }),
      Type.Object({ type: Type.Literal('any'), ...parallel }),
      Type.Object({ type: Type.Literal('tool'), name: Type.String({ minLength: 1 }), ...parallel }),
      Type.Object({ type: Type.Literal('none') }),
    ],
    { errorMessage: 'tool_choice.type must be auto, any, tool or none' },
  ),
);

function conversation({ router: { lenient } }: Settings) {
  const { text, user, assistant } = Blocks(lenient);
  const Message = named(
    'Message',
    Type.Union(
      [
        Type.Object({ role: Type.Literal('user'), content: user }),
        Type.Object({ role: Type.Literal('assistant'), content: assistant }),
      ],
      { errorMessage: 'role must be user or assistant' },
    ),
  );
  const fields = {
    messages: Type.Array(Message, { minItems: 1, errorMessage: 'messages must be a non-empty array' }),
    system: Type.Optional(
      Type.Union([Type.String(), Type.Array(text)], {
        errorMessage: 'system must be a string or an array of text blocks',
      }),
    ),
    thinking: Thinking(lenient),
    tools: Type.Optional(Type.Array(Tool(lenient))),
    tool_choice: Type.Optional(MessagesToolChoice),
  };
  return described(fields, {
    messages: 'The first is of `user`; neighbours of one role are merged.',
    system: 'Stands before the conversation.',
  });
}

const model = Type.String({
  minLength: 1,
  errorCode: 'invalid_model',
  description: '`provider/model`, or an alias.',
});
export const share = (name: string) =>
  Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, errorMessage: `${name} must be a number between 0 and 1` }),
  );
const tokensMax = 2_147_483_647;

export function MessagesRequest(settings: Settings) {
  const { lenient } = settings.router;
  return Type.Object(
    {
      model,
      max_tokens: Type.Integer({
        minimum: 1,
        maximum: tokensMax,
        errorMessage: `max_tokens must be an integer between 1 and ${tokensMax}`,
        description: 'The longest answer; clipped to what the model can do.',
      }),
      ...conversation(settings),
      stream: Type.Optional(Type.Boolean()),
      temperature: share('temperature'),
      top_p: share('top_p'),
      stop_sequences: Type.Optional(
        Type.Array(Type.String({ minLength: 1, errorMessage: 'stop sequences must be non-empty strings' }), {
          maxItems: 64,
          description: 'End the answer before the first of them.',
        }),
      ),
      metadata: Type.Optional(Type.With(AnyObject, { description: 'Taken, and not sent on.' })),
      top_k: Refused('top_k', lenient),
      service_tier: Refused('service_tier', lenient),
    },
    lenient ? {} : strict,
  );
}
export type MessagesRequest = Static<ReturnType<typeof MessagesRequest>>;

export function CountTokensRequest(settings: Settings) {
  const { lenient } = settings.router;
  return Type.Object({ model, ...conversation(settings) }, lenient ? {} : strict);
}
export type CountTokensRequest = Static<ReturnType<typeof CountTokensRequest>>;

export const CountTokensResponse = Strict({ input_tokens: Type.Integer({ minimum: 0 }) });

/** Everything that a reply may hold, and its keys in order. */
export const MessagesResponse = Strict({
  id: Type.String({ pattern: '^msg_[0-9A-Za-z]{24}$' }),
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  model: Type.String({ description: 'As it was sent.' }),
  content: Type.Array(
    Type.Union([
      Strict({ type: Type.Literal('text'), text: Type.String(), citations: Type.Null() }),
      Strict({
        type: Type.Literal('tool_use'),
        id: Type.String({ pattern: '^toolu_[0-9A-Za-z]{24}$' }),
        name: Type.String(),
        input: AnyObject,
      }),
    ]),
  ),
  stop_reason: Literals([
    'end_turn',
    'max_tokens',
    'stop_sequence',
    'tool_use',
    'pause_turn',
    'refusal',
    'model_context_window_exceeded',
  ]),
  stop_sequence: Type.Union([Type.String(), Type.Null()], {
    description: 'The one that ended the answer, which does not contain it.',
  }),
  stop_details: Type.Null(),
  container: Type.Null(),
  usage: Strict({
    input_tokens: Type.Integer({ minimum: 0, description: 'Without cached ones.' }),
    output_tokens: Count,
    cache_creation_input_tokens: Count,
    cache_read_input_tokens: Count,
    cache_creation: Type.Null(),
    server_tool_use: Type.Null(),
    service_tier: Type.Null(),
  }),
});
