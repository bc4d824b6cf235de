import { Type, type Static } from 'typebox';
import { Nullable, withErrors } from '../../../kernel/kit/schema.ts';
import { described, named } from '../../../kernel/http/described.ts';

const Text = Type.Object({ type: Type.Literal('text'), text: Type.String() });

/** The address alone, or an object that holds it. */
const address = (name: string, more: Parameters<typeof Type.Object>[0] = {}) =>
  Type.Union([Type.String(), Type.Object({ url: Type.String(), ...more })], {
    errorMessage: `${name} must be a string or an object with a url`,
  });

const Image = Type.Object(
  described(
    {
      type: Type.Literal('image_url'),
      image_url: address('image_url', { detail: Nullable(Type.String()) }),
    },
    { image_url: 'An https address, or a data URI with a PNG, JPEG, WebP or GIF.' },
  ),
);
const File = Type.Object(
  described(
    {
      type: Type.Literal('file_url'),
      file_url: address('file_url'),
      file_name: Nullable(Type.String({ maxLength: 1_024 })),
    },
    {
      file_url:
        'An https address, a data URI, or base64 alone. PDF, TXT, MD, CSV, JSON, HTML and DOCX are read.',
    },
  ),
);
const Pdf = Type.Object(
  described(
    { type: Type.Literal('pdf_url'), pdf_url: address('pdf_url') },
    { pdf_url: 'As `file_url`, for a PDF.' },
  ),
);
const Video = Type.Object(
  described(
    { type: Type.Literal('video_url'), video_url: address('video_url') },
    { video_url: 'Refused by models without video input.' },
  ),
);

const contentMessage = 'content must be a string or an array of parts';
const partMessage = 'content parts must be of type text, image_url, file_url, pdf_url or video_url';
const UserContent = named(
  'ChatUserContent',
  Type.Union(
    [
      Type.String(),
      Type.Array(withErrors(Type.Union([Text, Image, File, Pdf, Video]), { errorMessage: partMessage })),
    ],
    { errorMessage: contentMessage },
  ),
  'A text or parts; it may not be empty.',
);
const TextContent = named(
  'ChatTextContent',
  Type.Union(
    [
      Type.String(),
      Type.Array(withErrors(Text, { errorMessage: 'Only text parts are supported in this message' })),
    ],
    { errorMessage: contentMessage },
  ),
);

const ToolCall = Type.Object({
  id: Type.String({ minLength: 1 }),
  type: Type.Optional(Type.Literal('function')),
  function: Type.Object({ name: Type.String({ minLength: 1 }), arguments: Type.String() }),
});

const Instructions = (role: 'system' | 'developer') =>
  Type.Object({ role: Type.Literal(role), content: TextContent });

/** Contract 9.2. `developer` is read as `system`; replies may be sent back as they came. */
export const ChatMessage = named(
  'ChatMessage',
  Type.Union(
    [
      Type.Object({ role: Type.Literal('user'), content: UserContent }),
      Type.Object(
        described(
          {
            role: Type.Literal('assistant'),
            content: Nullable(TextContent),
            tool_calls: Nullable(Type.Array(ToolCall)),
            reasoning_steps: Nullable(Type.Array(Type.Unknown())),
          },
          {
            content: 'Null or absent only beside `tool_calls`.',
            reasoning_steps: 'Taken, so that an answer can be sent back as it came; has no effect.',
          },
        ),
      ),
      Type.Object(
        described(
          {
            role: Type.Literal('tool'),
            tool_call_id: Type.String({ minLength: 1 }),
            content: TextContent,
          },
          { tool_call_id: 'The `id` of an earlier call.' },
        ),
      ),
      Instructions('system'),
      Instructions('developer'),
    ],
    { errorMessage: 'role must be system, user, assistant or tool' },
  ),
  '`developer` is read as `system`.',
);
export type ChatMessage = Static<typeof ChatMessage>;
export type UserMessage = Extract<ChatMessage, { role: 'user' }>;
export type UserChunk = Exclude<UserMessage['content'], string>[number];
export type TextContent = Static<typeof TextContent>;
