export const documentsPath = '/v1/index/documents';
export const sourcesPath = '/v1/index/sources';

/** A document that the account sent, as on the wire. Times are Unix seconds. */
export interface Document {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  /** ISO 639-1. */
  readonly language: string | null;
  readonly date: string | null;
  readonly written_at: number;
}

export interface WholeDocument extends Document {
  readonly text: string;
}

export interface DocumentPage {
  readonly data: readonly Document[];
  /** Token of the next page; null at the end. */
  readonly next_page_token: string | null;
}

export interface OwnIndex {
  readonly documents: number;
  readonly bytes: number;
  readonly documents_max: number;
  readonly bytes_max: number;
}

/** Addresses that Nestor made up for documents without one of their own. */
const ownUrls = 'nestor:document/';

/** The address of a document that somebody else could open; null for one that the account did not name. */
export const placeOf = ({ url }: Pick<Document, 'url'>): string | null =>
  url.startsWith(ownUrls) ? null : url;

/** How much of a limit is taken, from 0 to 100; more than nothing is never shown as nothing. */
export function shareOf(used: number, max: number): number {
  if (used === 0) return 0;
  return max === 0 ? 100 : Math.min(100, Math.max(1, (100 * used) / max));
}
