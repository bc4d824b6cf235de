import type { Caller } from '../../kernel/kit/caller.ts';
import type { GuardedFailure } from '../../kernel/kit/guarded-client.ts';
import type { JobError } from '../../kernel/kit/job-thread.ts';

/** What a page or a file holds, as far as it can be read. Contract 11.3. */
export interface Page {
  /** Where it was found after redirects; as it was given for files that were here already. */
  readonly url: string;
  /** The address that the page names for itself on its own host, else `url` without what only tracks readers. */
  readonly canonicalUrl: string;
  /** Empty when there is none. */
  readonly title: string;
  /** Plain text with the structure of Markdown: headings, lists, tables, quotations and code. */
  readonly text: string;
  /** ISO 639-1, lower case. */
  readonly language: string | null;
  /** Publication, YYYY-MM-DD, as the page says it: never guessed, never in the future. */
  readonly date: string | null;
  /** Last change, YYYY-MM-DD, under the same rule. */
  readonly lastUpdated: string | null;
  /** Links of the whole page, navigation included, each address once. */
  readonly links: readonly PageLink[];
  readonly images: readonly PageImage[];
  readonly siteName: string | null;
  /** What the page asks of search engines. */
  readonly robots: { readonly index: boolean; readonly follow: boolean };
  /** True when only the beginning was read or is returned. */
  readonly truncated: boolean;
  /** What its links are the entries of; null for a page that is read for itself. */
  readonly listing: 'feed' | 'sitemap' | 'sitemap-index' | null;
}

export interface PageLink {
  readonly url: string;
  readonly text: string;
}

export interface PageImage {
  readonly url: string;
  readonly alt: string;
  /** As declared. Unit: px. */
  readonly width: number | null;
  readonly height: number | null;
}

export type PageFailure =
  | GuardedFailure
  /** A kind of file that is not read. */
  | 'unsupported'
  /** Broken, encrypted, or not what it claims to be. */
  | 'unreadable'
  /** Reading it takes more time or memory than any page is worth. */
  | 'too_complex';

/** Why a page was not read, by how the thread that read it ended. */
export const failureOfJob = {
  busy: 'busy',
  closed: 'busy',
  timeout: 'timeout',
  memory: 'too_complex',
  died: 'unreadable',
  failed: 'unreadable',
} as const satisfies Readonly<Record<JobError['reason'], PageFailure>>;

/** A page that could not be read. The message is one sentence, fit for callers. */
export class PageError extends Error {
  override readonly name = 'PageError';
  readonly reason: PageFailure;
  /** Of the last answer; null when none began or none was needed. */
  readonly status: number | null;

  constructor(reason: PageFailure, message: string, status: number | null = null) {
    super(message);
    this.reason = reason;
    this.status = status;
  }
}

interface ReadOptions {
  /** Whose part of the reader it takes. */
  readonly account: string;
  /** The text is cut to about this many tokens. */
  readonly tokensMax?: number | null;
}

interface FileLabel {
  readonly fileName?: string | null;
  readonly mediaType?: string | null;
}

export interface PageReader {
  /** Fetches an address that a caller or a page named, and reads it. Rejects with PageError, or as the signal says. */
  read(url: string, signal: AbortSignal, options: ReadOptions): Promise<Page>;
  /**
   * Reads what is already here, for the server itself: `url` is where it came from and completes its links. Rejects
   * like `read`.
   */
  extract(
    bytes: Uint8Array,
    contentType: string,
    url: string,
    signal: AbortSignal,
    options?: Pick<ReadOptions, 'tokensMax'>,
  ): Promise<Page>;
  /** Reads a file that a caller attached: PDF, TXT, MD, CSV, JSON, HTML or DOCX. Contract 9.2. Rejects like `read`. */
  extractFile(base64: string, label: FileLabel, caller: Caller): Promise<Page>;
  close(): Promise<void>;
}

/** A file that a caller sent, or the address of one. */
export type AttachedFile =
  | { readonly url: string; readonly base64?: undefined }
  | ({ readonly base64: string; readonly url?: undefined } & FileLabel);

/** Rejects like `read`. */
export function readAttached(pages: PageReader, file: AttachedFile, caller: Caller): Promise<Page> {
  if (file.url === undefined) return pages.extractFile(file.base64, file, caller);
  return pages.read(file.url, caller.signal, { account: caller.account });
}

/** One line of a `robots.txt`. */
export interface RobotsRule {
  readonly allows: boolean;
  /** What stands between the wildcards, in this order; the first begins the path. */
  readonly parts: readonly string[];
  /** With `$`: the last part ends the path. */
  readonly isWhole: boolean;
  /** Of the pattern: the longest one that matches rules. */
  readonly length: number;
}

/** What a `robots.txt` says to one crawler. Plain data: it is read in the page thread. */
export interface RobotsRules {
  readonly rules: readonly RobotsRule[];
  readonly sitemaps: readonly string[];
  /** Between two requests. Unit: ms; 0 where the site asks for none. */
  readonly delayMs: number;
}

/** For those who read whole sites. */
export interface SiteReader extends PageReader {
  /** What a `robots.txt` says to a crawler. Rejects with PageError, or as the signal says. */
  readRobots(bytes: Uint8Array, userAgent: string, signal: AbortSignal): Promise<RobotsRules>;
}
