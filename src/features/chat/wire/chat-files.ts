import type { Attachment } from '../question.ts';
import { Fault } from '../../../kernel/faults.ts';
import type { Caller } from '../../../kernel/kit/caller.ts';
import {
  type UserPart,
  dataUrl,
  imageTypes,
  readDataImage,
  type Media,
  type Remote,
} from '../../models/feature.ts';
import { PageError, type Page, type PageReader } from '../../search/feature.ts';
import type { ChatMessage, UserChunk } from './chat-message-schema.ts';

type FileChunk = Extract<UserChunk, { type: 'file_url' | 'pdf_url' }>;

const filesMax = 20;

/** A file or an image in a message, and where it stands. */
interface Placed<Chunk> {
  readonly chunk: Chunk;
  readonly param: string;
}

function placed(messages: readonly ChatMessage[]): readonly Placed<UserChunk>[] {
  return messages.flatMap(({ role, content }, at) =>
    role !== 'user' || typeof content === 'string'
      ? []
      : content.map((chunk, index) => ({
          chunk,
          param: `messages.${at}.content.${index}.${chunk.type}`,
        })),
  );
}

function urlOf(chunk: Exclude<UserChunk, { type: 'text' }>): string {
  const value =
    chunk.type === 'image_url'
      ? chunk.image_url
      : chunk.type === 'file_url'
        ? chunk.file_url
        : chunk.type === 'pdf_url'
          ? chunk.pdf_url
          : chunk.video_url;
  return typeof value === 'string' ? value : value.url;
}

const isRemote = (url: string): boolean => /^https?:\/\//i.test(url);

function isFile({ chunk }: Placed<UserChunk>): boolean {
  return chunk.type === 'file_url' || chunk.type === 'pdf_url';
}

/** What can be said of attachments without fetching any. Throws Fault `invalid_value` and `invalid_image`. */
export function checkFiles(messages: readonly ChatMessage[]): void {
  const all = placed(messages);
  for (const { chunk, param } of all) {
    if (chunk.type === 'video_url')
      throw new Fault('invalid_value', 'This model does not accept video', { param });
    if (chunk.type === 'image_url' && !isRemote(urlOf(chunk))) readDataImage(urlOf(chunk), param);
    if (chunk.type === 'file_url' || chunk.type === 'pdf_url') toFile(chunk, param);
  }
  const [, ...more] = all.filter(isFile);
  const excess = more[filesMax - 1];
  if (excess !== undefined)
    throw new Fault('invalid_value', `A request may hold at most ${filesMax} files`, { param: excess.param });
}

/** Images that are named by address. */
export function remoteImagesOf(messages: readonly ChatMessage[]): readonly Remote[] {
  return placed(messages).flatMap(({ chunk, param }) =>
    chunk.type === 'image_url' && isRemote(urlOf(chunk))
      ? [{ url: urlOf(chunk), param, mediaTypes: imageTypes }]
      : [],
  );
}

/** What stands in the turn for an image or a file; the text of a file comes as a source. */
export function toUserPart(
  chunk: Exclude<UserChunk, { type: 'text' }>,
  param: string,
  media: ReadonlyMap<string, Media>,
): UserPart {
  if (chunk.type !== 'image_url') return { type: 'text', text: `(attached file: ${nameOf(chunk)})` };
  return { type: 'image', ...(media.get(urlOf(chunk)) ?? readDataImage(urlOf(chunk), param)) };
}

type FileContent =
  { readonly url: string } | { readonly base64: string; readonly mediaType: string | undefined };

function toFile(chunk: FileChunk, param: string): FileContent {
  const url = urlOf(chunk);
  if (/^https:\/\//i.test(url)) return { url };
  const match = dataUrl.exec(url);
  const base64 = match === null ? url : url.slice(match[0].length);
  const named = match?.groups?.['mediaType']?.toLowerCase();
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) {
    const message = `${chunk.type} must be an https address, a data URI or base64`;
    throw new Fault('invalid_value', message, { param });
  }
  return { base64, mediaType: named ?? (chunk.type === 'pdf_url' ? 'application/pdf' : undefined) };
}

function nameOf(chunk: Exclude<UserChunk, { type: 'text' }>): string {
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
  const files = placed(messages).flatMap(({ chunk, param }) =>
    chunk.type === 'file_url' || chunk.type === 'pdf_url' ? [{ chunk, param }] : [],
  );
  return Promise.all(
    files.map(async ({ chunk, param }, at): Promise<Attachment> => {
      const file = toFile(chunk, param);
      const page = await readFile({ ...file, param }, chunk, pages, caller);
      const name = nameOf(chunk);
      const title = page.title.trim() === '' ? name : page.title;
      return { url: 'url' in file ? file.url : `attachment:${at + 1}/${name}`, title, text: page.text };
    }),
  );
}

async function readFile(
  file: FileContent & { readonly param: string },
  chunk: FileChunk,
  pages: PageReader,
  { signal, account }: Caller,
): Promise<Page> {
  const { param } = file;
  const refuse = (message: string): never => {
    throw new Fault('invalid_value', `The attached file cannot be read: ${message}`, { param });
  };
  if ('url' in file) {
    try {
      return await pages.read(file.url, signal, { account });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof PageError) return refuse(error.message);
      throw error;
    }
  }
  const name = chunk.type === 'file_url' ? chunk.file_name : null;
  const label = {
    ...(typeof name === 'string' && { fileName: name }),
    ...(file.mediaType !== undefined && { mediaType: file.mediaType }),
  };
  const outcome = await pages.extractFile(Buffer.from(file.base64, 'base64'), label, signal, account);
  return outcome.ok ? outcome.page : refuse(outcome.message);
}
