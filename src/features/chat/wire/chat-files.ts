import type { Attachment } from '../question.ts';
import { invalidValue } from '../../../kernel/faults.ts';
import type { Caller } from '../../../kernel/kit/caller.ts';
import type { UserPart, Media, Remote } from '../../models/feature.ts';
import { dataUrl, imageTypes, readDataImage } from '../../models/feature.ts';
import { type AttachedFile, PageError, type PageReader, readAttached } from '../../search/feature.ts';
import type { ChatMessage, UserChunk } from './chat-message-schema.ts';

type MediaChunk = Exclude<UserChunk, { type: 'text' }>;
type FileChunk = Extract<UserChunk, { type: 'file_url' | 'pdf_url' }>;

const filesMax = 20;

/** The parts of user messages, and where they stand. */
function placed(messages: readonly ChatMessage[]) {
  return messages.flatMap(({ role, content }, at) =>
    role !== 'user' || typeof content === 'string'
      ? []
      : content.map((chunk, index) => ({ chunk, param: `messages.${at}.content.${index}.${chunk.type}` })),
  );
}

function filesOf(messages: readonly ChatMessage[]) {
  return placed(messages).flatMap(({ chunk, param }) =>
    chunk.type === 'file_url' || chunk.type === 'pdf_url' ? [{ chunk, param }] : [],
  );
}

function addressOf(chunk: MediaChunk) {
  switch (chunk.type) {
    case 'image_url':
      return chunk.image_url;
    case 'file_url':
      return chunk.file_url;
    case 'pdf_url':
      return chunk.pdf_url;
    case 'video_url':
      return chunk.video_url;
  }
}

function urlOf(chunk: MediaChunk): string {
  const address = addressOf(chunk);
  return typeof address === 'string' ? address : address.url;
}

const isRemote = (url: string): boolean => /^https?:\/\//i.test(url);

/** What can be said of attachments without fetching any. Throws Fault `invalid_value` and `invalid_image`. */
export function checkFiles(messages: readonly ChatMessage[]): void {
  for (const { chunk, param } of placed(messages)) {
    if (chunk.type === 'video_url') throw invalidValue('This model does not accept video', param);
    if (chunk.type === 'image_url' && !isRemote(urlOf(chunk))) readDataImage(urlOf(chunk), param);
    if (chunk.type === 'file_url' || chunk.type === 'pdf_url') toFile(chunk, param);
  }
  const excess = filesOf(messages)[filesMax];
  if (excess !== undefined) throw invalidValue(`A request may hold at most ${filesMax} files`, excess.param);
}

export function remoteImagesOf(messages: readonly ChatMessage[]): readonly Remote[] {
  return placed(messages).flatMap(({ chunk, param }) =>
    chunk.type === 'image_url' && isRemote(urlOf(chunk))
      ? [{ url: urlOf(chunk), param, mediaTypes: imageTypes }]
      : [],
  );
}

/** What stands in the turn for an image or a file; the text of a file comes as a source. */
export function toUserPart(chunk: MediaChunk, param: string, media: ReadonlyMap<string, Media>): UserPart {
  if (chunk.type !== 'image_url') return { type: 'text', text: `(attached file: ${nameOf(chunk)})` };
  return { type: 'image', ...(media.get(urlOf(chunk)) ?? readDataImage(urlOf(chunk), param)) };
}

function toFile(chunk: FileChunk, param: string): AttachedFile {
  const url = urlOf(chunk);
  if (/^https:\/\//i.test(url)) return { url };
  const match = dataUrl.exec(url);
  const escaped = match === null ? escapedData.exec(url) : null;
  const base64 = escaped === null ? withoutBreaks(url.slice(match?.[0].length ?? 0)) : toBase64(escaped);
  const named = (match ?? escaped)?.groups?.['mediaType']?.toLowerCase();
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
    throw invalidValue(`${chunk.type} must be an https address, a data URI or base64`, param);
  const isPdf = chunk.type === 'pdf_url';
  const mediaType = named ?? (isPdf ? 'application/pdf' : null);
  return { base64, fileName: isPdf ? null : (chunk.file_name ?? null), mediaType };
}

/** A data URI without base64. */
const escapedData = /^data:(?<mediaType>[a-z]+\/[a-z0-9.+-]+)?(?:;[a-z0-9-]+=[^;,]*)*,(?<text>[^]*)$/i;

/** Empty where it is no text. */
function toBase64({ groups }: RegExpExecArray): string {
  try {
    return Buffer.from(decodeURIComponent(groups?.['text'] ?? '')).toString('base64');
  } catch {
    return '';
  }
}

/** Tools such as `base64` break its lines. */
const withoutBreaks = (base64: string): string =>
  /\s/.test(base64) ? base64.replaceAll(/\s+/g, '') : base64;

function nameOf(chunk: MediaChunk): string {
  const named = chunk.type === 'file_url' ? (chunk.file_name ?? '') : '';
  if (named.trim() !== '') return named.trim().replaceAll(/[\s/\\]+/g, ' ');
  const url = urlOf(chunk);
  const last = isRemote(url) && URL.canParse(url) ? new URL(url).pathname.split('/').at(-1) : '';
  return last === undefined || last === '' ? 'file' : last;
}

/** Reads every attached file. Throws Fault `invalid_value` that names the one which cannot be read. */
export async function readFiles(
  messages: readonly ChatMessage[],
  pages: PageReader,
  caller: Caller,
): Promise<readonly Attachment[]> {
  return Promise.all(
    filesOf(messages).map(async ({ chunk, param }, at): Promise<Attachment> => {
      const file = toFile(chunk, param);
      const page = await readAttached(pages, file, caller).catch((error: unknown) => {
        caller.signal.throwIfAborted();
        if (!(error instanceof PageError)) throw error;
        throw invalidValue(`The attached file cannot be read: ${error.message}`, param);
      });
      const name = nameOf(chunk);
      const title = page.title.trim() === '' ? name : page.title;
      return { url: file.url ?? `attachment:${at + 1}/${name}`, title, text: page.text };
    }),
  );
}
