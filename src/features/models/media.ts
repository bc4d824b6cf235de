import { Fault } from '../../kernel/faults.ts';
import type { Caller } from '../../kernel/kit/caller.ts';
import { imageBytesMax, type GuardedClient } from '../../kernel/kit/guarded-client.ts';

/** Conversations carry images and documents. A body of exactly this many bytes is refused. */
export const conversationBytesMax = 67_108_864;

export interface Media {
  readonly mediaType: string;
  readonly base64: string;
}

/** Reads an address that a caller named, of one of these types. Throws Fault `invalid_image`. */
export type FetchMedia = (url: string, mediaTypes: readonly string[], caller: Caller) => Promise<Media>;

export const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
export const documentTypes: readonly string[] = ['application/pdf', 'text/plain'];

/** An address in a request, and where it stands there. */
export interface Remote {
  readonly url: string;
  readonly param: string;
  readonly mediaTypes: readonly string[];
}

const remotesMax = 20;

type MediaByUrl = ReadonlyMap<string, Media>;
const noMedia: MediaByUrl = new Map();

/** Reads the contents of each address. Throws or rejects with Fault `invalid_image`, naming the field. */
export function fetchRemotes(
  remotes: readonly Remote[],
  fetchMedia: FetchMedia | undefined,
  caller: Caller,
): MediaByUrl | Promise<MediaByUrl> {
  const [first] = remotes;
  return first === undefined ? noMedia : fetchAll(first, remotes, fetchMedia, caller);
}

async function fetchAll(
  { param }: Remote,
  remotes: readonly Remote[],
  fetchMedia: FetchMedia | undefined,
  caller: Caller,
): Promise<MediaByUrl> {
  for (const { url, param: place } of remotes) {
    if (!/^https:\/\//i.test(url))
      throw new Fault('invalid_image', 'url must be an https address', { param: place });
  }
  if (fetchMedia === undefined) {
    throw new Fault('invalid_image', 'Remote images and documents are not available, send them as base64', {
      param,
    });
  }
  if (remotes.length > remotesMax) {
    throw new Fault('invalid_image', `A request may name at most ${remotesMax} addresses`, { param });
  }
  const media = await Promise.all(
    remotes.map(async ({ url, mediaTypes, param: place }) => {
      const read = await fetchMedia(url, mediaTypes, caller).catch((error: unknown) => {
        if (!(error instanceof Fault) || error.param !== null) throw error;
        throw new Fault(error.code, error.message, { param: place, cause: error });
      });
      return [url, read] as const;
    }),
  );
  return new Map(media);
}

const base64Text = /^[A-Za-z0-9+/]+={0,2}$/;

/** The same text. Throws Fault `invalid_image` for what is no strict base64. */
export function checkBase64(text: string, param: string): string {
  if (text.length % 4 === 0 && base64Text.test(text)) return text;
  throw new Fault('invalid_image', 'data must be base64', { param });
}

/** Reads images and documents that callers name by address. The reason of a refusal is fit for them. */
export function createFetchMedia(client: GuardedClient): FetchMedia {
  return async (url, mediaTypes, caller) => {
    const outcome = await client.fetch(url, { ...caller, accept: mediaTypes, bytesMax: imageBytesMax });
    if (!outcome.ok) throw new Fault('invalid_image', `The address cannot be read: ${outcome.message}`);
    const { contentType, bytes } = outcome;
    const mediaType = mediaTypes.includes(contentType) ? contentType : typeOf(bytes);
    if (mediaType === null || !mediaTypes.includes(mediaType))
      throw new Fault(
        'invalid_image',
        `The address cannot be read: it holds none of ${mediaTypes.join(', ')}`,
      );
    return { mediaType, base64: Buffer.from(bytes).toString('base64') };
  };
}

/** By how it begins: stores of files often call all that they hold a stream of bytes, or nothing. */
function typeOf(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF8')) return 'image/gif';
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'image/webp';
  return head.startsWith('%PDF-') ? 'application/pdf' : null;
}

/** The beginning of a data URI in base64, with its type. */
export const dataUrl = /^data:(?<mediaType>[a-z]+\/[a-z0-9.+-]+)?(?:;[a-z0-9-]+=[^;,]*)*;base64,/i;
const dataImageBytesMax = 50_000_000;

/** Reads an image out of a data URI. Throws Fault `invalid_image`. */
export function readDataImage(url: string, param: string): Media {
  const match = dataUrl.exec(url);
  const mediaType = match?.groups?.['mediaType']?.toLowerCase() ?? '';
  if (match === null || !imageTypes.includes(mediaType)) {
    const message = 'image_url must be an https address or a data URI of PNG, JPEG, WEBP or GIF in base64';
    throw new Fault('invalid_image', message, { param });
  }
  const base64 = checkBase64(url.slice(match[0].length), param);
  if ((base64.length / 4) * 3 > dataImageBytesMax)
    throw new Fault('invalid_image', 'Images are at most 50 MB large', { param });
  return { mediaType, base64 };
}
