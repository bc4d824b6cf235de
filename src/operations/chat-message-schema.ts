import { Type, type Static } from 'typebox';
import { Nullable, withErrors } from '../kit/schema.ts';

const Text = Type.Object({ type: Type.Literal('text'), text: Type.String() });

/** The address alone, or an object that holds it. */
const address = (name: string, more: Parameters<typeof Type.Object>[0] = {}) =>
  Type.Union([Type.String(), Type.Object({ url: Type.String(), ...more })], {
    errorMessage: `${name} must be a string or an object with a url`,
  });

const Image = Type.Object({
  type: Type.Literal('image_url'),
  image_url: address('image_url', { detail: Nullable(Type.String()) }),
});
const File = Type.Object({
  type: Type.Literal('file_url'),
  file_url: address('file_url'),
  file_name: Nullable(Type.String({ maxLength: 1_024 })),
});
const Pdf = Type.Object({ type: Type.Literal('pdf_url'), pdf_url: address('pdf_url') });
const Video = Type.Object({ type: Type.Literal('video_url'), video_url: address('video_url') });

const contentMessage = 'content must be a string or an array of parts';
const partMessage = 'content parts must be of type text, image_url, file_url, pdf_url or video_url';
const UserContent = Type.Union(
  [
    Type.String(),
    Type.Array(withErrors(Type.Union([Text, Image, File, Pdf, Video]), { errorMessage: partMessage })),
  ],
  { errorMessage: contentMessage },
);
const TextContent = Type.Union(
  [
    Type.String(),
    Type.Array(withErrors(Text, { errorMessage: 'Only text parts are supported in this message' })),
  ],
  { errorMessage: contentMessage },
);

const ToolCall = Type.Object({
  id: Type.String({ minLength: 1 }),
  type: Type.Optional(Type.Literal('function')),
  function: Type.Object({ name: Type.String({ minLength: 1 }), arguments: Type.String() }),
});

const Instructions = (role: 'system' | 'developer') =>
  Type.Object({ role: Type.Literal(role), content: TextContent });

/** Contract 9.2. `developer` is read as `system`; replies of ours may be sent back as they came. */
export const ChatMessage = Type.Union(
  [
    Type.Object({ role: Type.Literal('user'), content: UserContent }),
    Type.Object({
      role: Type.Literal('assistant'),
      content: Nullable(TextContent),
      tool_calls: Nullable(Type.Array(ToolCall)),
      reasoning_steps: Nullable(Type.Array(Type.Unknown())),
    }),
    Type.Object({
      role: Type.Literal('tool'),
      tool_call_id: Type.String({ minLength: 1 }),
      content: TextContent,
    }),
    Instructions('system'),
    Instructions('developer'),
  ],
  { errorMessage: 'role must be system, user, assistant or tool' },
);
export type ChatMessage = Static<typeof ChatMessage>;
export type UserMessage = Extract<ChatMessage, { role: 'user' }>;
export type UserChunk = Exclude<UserMessage['content'], string>[number];
export type TextContent = Static<typeof TextContent>;
