import { Type, type Static } from 'typebox';
import { named, Nullable, Open } from '../../../kernel/kit/schema.ts';
import { CompletionCall, CompletionContent, TextPart } from '../../models/feature.ts';

/** The address alone, or an object that holds it. */
const address = (name: string, more: Parameters<typeof Type.Object>[0] = {}) =>
  Type.Union([Type.String(), Type.Object({ url: Type.String(), ...more })], {
    errorMessage: `${name} must be a string or an object with a url`,
  });

const Image = Open(
  {
    type: Type.Literal('image_url'),
    image_url: address('image_url', { detail: Nullable(Type.String()) }),
  },
  { image_url: 'An https address, or a data URI with a PNG, JPEG, WebP or GIF.' },
);
const File = Open(
  {
    type: Type.Literal('file_url'),
    file_url: address('file_url'),
    file_name: Nullable(Type.String({ maxLength: 1_024 })),
  },
  {
    file_url:
      'An https address, a data URI, or base64 alone. PDF, TXT, MD, CSV, JSON, HTML and DOCX are read.',
  },
);
const Pdf = Open(
  { type: Type.Literal('pdf_url'), pdf_url: address('pdf_url') },
  { pdf_url: 'As `file_url`, for a PDF.' },
);
const Video = Open(
  { type: Type.Literal('video_url'), video_url: address('video_url') },
  { video_url: 'Refused by models without video input.' },
);

const UserContent = named(
  'ChatUserContent',
  CompletionContent(
    Type.Union([TextPart, Image, File, Pdf, Video]),
    'content parts must be of type text, image_url, file_url, pdf_url or video_url',
  ),
  'A text or parts; it may not be empty.',
);
const TextContent = named(
  'ChatTextContent',
  CompletionContent(TextPart, 'Only text parts are supported in this message'),
);

const Instructions = (role: 'system' | 'developer') =>
  Type.Object({ role: Type.Literal(role), content: TextContent });

/** Contract 9.2. `developer` is read as `system`; replies may be sent back as they came. */
export const ChatMessage = named(
  'ChatMessage',
  Type.Union(
    [
      Type.Object({ role: Type.Literal('user'), content: UserContent }),
      Open(
        {
          role: Type.Literal('assistant'),
          content: Nullable(TextContent),
          tool_calls: Nullable(Type.Array(CompletionCall)),
          reasoning_steps: Nullable(Type.Array(Type.Unknown())),
        },
        {
          content: 'Null or absent only beside `tool_calls`.',
          reasoning_steps: 'Taken, so that an answer can be sent back as it came; has no effect.',
        },
      ),
      Open(
        {
          role: Type.Literal('tool'),
          tool_call_id: Type.String({ minLength: 1 }),
          content: TextContent,
        },
        { tool_call_id: 'The `id` of an earlier call.' },
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
