import type { Page, RobotsRules } from '../page.ts';

/** What is known about the bytes before they are read. */
export interface PageHead {
  /** Empty for attached files. */
  readonly url: string;
  readonly contentType: string;
  readonly charset: string | null;
  readonly nowMs: number;
  /** Of the answer that carried the page. */
  readonly lastModified?: string | undefined;
  readonly sent?: string | undefined;
  readonly language?: string | undefined;
  readonly link?: string | undefined;
  readonly robots?: string | undefined;
}

/** One page for the thread. */
export interface PageJob {
  readonly bytes: Uint8Array;
  readonly head: PageHead;
  /** Refuse the kinds that callers may not attach. */
  readonly isAttachment: boolean;
  readonly tokensMax: number | null;
}

/** One `robots.txt` for the thread. */
export interface RobotsJob {
  readonly robots: Uint8Array;
  readonly userAgent: string;
}

/** What became of a page or a `robots.txt` in the thread. */
export type Reply =
  | { readonly kind: 'page'; readonly page: Page }
  | { readonly kind: 'robots'; readonly rules: RobotsRules }
  | { readonly kind: 'failed'; readonly reason: 'unsupported' | 'unreadable' | 'too_complex' };

/** What a reader of one kind finds; the rest of a page follows from its head. */
export type Found = Partial<Omit<Page, 'url' | 'text'>> & Pick<Page, 'text'>;

/** Ends the reading of a file whose kind is known. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
  readonly reason: 'unreadable' | 'too_complex';

  constructor(reason: 'unreadable' | 'too_complex') {
    super(reason);
    this.reason = reason;
  }
}
