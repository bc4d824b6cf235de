import { beginningOf } from '../../../kernel/kit/text.ts';
import type { Page } from '../page.ts';
import { canonicalAddress, fileName } from './addresses.ts';
import { decodeText } from './charset.ts';
import { modifiedHeader, pairDates } from './dates.ts';
import type { HtmlReader } from './html.ts';
import { UnreadableFile, type Found, type PageHead, type PageJob, type Reply } from './job.ts';
import { fileKinds, isPlainText, kindOf, type PageKind } from './kinds.ts';
import { cutToTokens, readRobotsTag, tidyLine, tidyText, toLanguage } from './tidy.ts';

const textLengthMax = 4_000_000;

export interface Extractor {
  /** Loads what reads this page, where no page of its kind was read before. */
  readonly load: (job: PageJob) => Promise<void>;
  readonly extract: (job: PageJob) => Promise<Reply>;
}

/** Reads pages in whatever thread it is made. */
export function createExtractor(): Extractor {
  let html: Promise<HtmlReader> | null = null;
  const openHtml = (): Promise<HtmlReader> =>
    (html ??= import('./html.ts').then(({ createHtmlReader }) => createHtmlReader()));
  const load = async ({ bytes, head }: PageJob): Promise<void> => {
    const kind = kindOf(bytes, head.contentType, head.url);
    if (kind === 'html' || kind === 'docx' || kind === 'xml') await openHtml();
    if (kind === 'docx') await import('mammoth');
    if (kind === 'pdf') await import('unpdf');
    await import('./detect-language.ts');
  };
  const extract: Extractor['extract'] = async ({ bytes, head, isAttachment, tokensMax }) => {
    const isUnknown = isAttachment && head.contentType === '' && head.url === '';
    const kind =
      kindOf(bytes, head.contentType, head.url) ?? (isUnknown && isPlainText(bytes) ? 'text' : null);
    if (kind === null || (isAttachment && !fileKinds.has(kind)))
      return { kind: 'failed', reason: 'unsupported' };
    try {
      const found = await readKind(kind, bytes, head, openHtml);
      return { kind: 'page', page: await toPage(kind, found, head, tokensMax) };
    } catch (error) {
      if (error instanceof UnreadableFile) return { kind: 'failed', reason: error.reason };
      // Nesting beyond the stack.
      return { kind: 'failed', reason: error instanceof RangeError ? 'too_complex' : 'unreadable' };
    }
  };
  return { load, extract };
}

async function readKind(
  kind: PageKind,
  bytes: Uint8Array,
  head: PageHead,
  openHtml: () => Promise<HtmlReader>,
): Promise<Found> {
  switch (kind) {
    case 'html':
      return (await openHtml()).read(bytes, head);
    case 'pdf':
      return (await import('./pdf.ts')).readPdf(bytes, head);
    case 'docx':
      return (await import('./docx.ts')).readDocx(bytes, head, await openHtml());
    case 'xml':
      return (await import('./xml.ts')).readXml(bytes, head, await openHtml());
    case 'markdown':
      return (await import('./markdown.ts')).readMarkdown(bytes, head);
    case 'text':
    case 'csv':
    case 'json':
      return { text: decodeText(bytes, head.charset) };
  }
}

async function detect(text: string): Promise<string | null> {
  return (await import('./detect-language.ts')).detectLanguage(text);
}

/** A page of what was found: what it does not say follows from the head of the answer, or stays unknown. */
async function toPage(kind: PageKind, found: Found, head: PageHead, tokensMax: number | null): Promise<Page> {
  const whole = tidyText(found.text);
  const capped = beginningOf(whole, textLengthMax);
  const { text, cut } = tokensMax === null ? { text: capped, cut: false } : cutToTokens(capped, tokensMax);
  const modified = found.lastUpdated ?? modifiedHeader(head.lastModified, head.sent, head.nowMs);
  return {
    url: head.url,
    canonicalUrl: found.canonicalUrl ?? canonicalAddress(null, head.url),
    title: tidyLine(found.title ?? '', 500) || firstLine(kind, text) || fileName(head.url),
    text,
    language: found.language ?? toLanguage(head.language) ?? (await detect(whole)),
    ...pairDates(found.date ?? null, modified),
    links: found.links ?? [],
    images: found.images ?? [],
    siteName: found.siteName ?? null,
    robots: found.robots ?? readRobotsTag(head.robots ?? ''),
    truncated: (found.truncated ?? false) || cut || capped.length < whole.length,
    listing: found.listing ?? null,
  };
}

/** What a page or document without a title begins with, where that is short enough to be one. */
function firstLine(kind: PageKind, text: string): string {
  if (kind === 'text' || kind === 'csv' || kind === 'json') return '';
  const first = text.split('\n', 1)[0] ?? '';
  if (kind === 'markdown' && isMarkup.test(first)) return '';
  const line = first.replace(/^(?:#{1,6}|[->]|\d{1,3}\.) /, '');
  return line.length <= 120 ? line : '';
}

/** Of Markdown: headings that are no title, images, links, tags, tables. */
const isMarkup = /^[#!<[|`*_]/;
