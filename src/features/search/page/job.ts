import type { Page } from '../page.ts';
import type { RobotsRules } from './rules.ts';

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

type FailedReply = {
  readonly kind: 'failed';
  readonly reason: 'unsupported' | 'unreadable' | 'too_complex';
};

/** What became of a page in the thread. */
export type PageReply = { readonly kind: 'page'; readonly page: Page } | FailedReply;

export type RobotsReply = { readonly kind: 'robots'; readonly rules: RobotsRules } | FailedReply;

/** What a reader of one kind finds; the rest of a page follows from its head. */
export type Found = Partial<Omit<Page, 'url' | 'text'>> & Pick<Page, 'text'>;
