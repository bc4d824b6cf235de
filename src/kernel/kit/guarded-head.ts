import type { Dispatcher } from 'undici';

type ReceivedHeaders = Dispatcher.ResponseData['headers'];

const headersKept = [
  'content-disposition',
  'content-language',
  'date',
  'etag',
  'last-modified',
  'link',
  'location',
  'retry-after',
  'x-robots-tag',
] as const;

/** The headers of a page that are kept. Names in lower case. */
export type GuardedHeaders = Readonly<Partial<Record<(typeof headersKept)[number], string>>>;

export function keptHeaders(received: ReceivedHeaders): GuardedHeaders {
  const kept: Partial<Record<(typeof headersKept)[number], string>> = {};
  for (const name of headersKept) {
    const value = one(received[name]);
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

/** Whether the content type is wanted; an absent or generic one is given the benefit of the doubt. */
export function isAccepted(contentType: string, accept: readonly string[] | undefined): boolean {
  if (accept === undefined || contentType === '' || contentType === 'application/octet-stream') return true;
  return accept.some((entry) =>
    entry.endsWith('/*') ? contentType.startsWith(entry.slice(0, -1)) : entry === contentType,
  );
}

export function parseContentType(text: string): {
  readonly contentType: string;
  readonly charset: string | null;
} {
  const [type = '', ...parameters] = text.slice(0, 1_000).split(';');
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    const charset = value.trim().replaceAll(/^["']|["']$/g, '');
    if (name.trim().toLowerCase() === 'charset' && charset !== '') {
      return { contentType: type.trim().toLowerCase(), charset: charset.toLowerCase() };
    }
  }
  return { contentType: type.trim().toLowerCase(), charset: null };
}

export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

export function one(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}
