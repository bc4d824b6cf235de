import type { getDocumentProxy } from 'unpdf';
import type { PageLink } from '../page.ts';
import { toAddress } from './addresses.ts';
import { pairDates, toPageDate } from './dates.ts';
import { UnreadableFile, type Found, type PageHead } from './job.ts';
import { toLines, toPdfText, type PdfLine } from './pdf-text.ts';
import { tidyLine } from './tidy.ts';

const pagesMax = 2_000;
const textLengthMax = 3_000_000;
const linkPagesMax = 100;
const linksMax = 1_000;
// What was read by then is kept: a long report is worth its first chapters.
const patienceMs = 6_000;

/** Text, title and dates of a PDF file. The parser is loaded with the first one. */
export async function readPdf(bytes: Uint8Array, { nowMs }: PageHead): Promise<Found> {
  const parser = await import('unpdf');
  const document = await openDocument(parser.getDocumentProxy, bytes);
  try {
    const pages: PdfLine[][] = [];
    const links = new Map<string, PageLink>();
    const startedMs = performance.now();
    let length = 0;
    let truncated = document.numPages > pagesMax;
    for (let number = 1; number <= Math.min(document.numPages, pagesMax); number++) {
      if (length > textLengthMax || performance.now() - startedMs > patienceMs) {
        truncated = true;
        break;
      }
      const page = await document.getPage(number);
      const lines = toLines((await page.getTextContent()).items);
      length += lines.reduce((sum, { text }) => sum + text.length, 0);
      pages.push(lines);
      if (number <= linkPagesMax) addLinks(links, await page.getAnnotations());
      page.cleanup();
    }
    const info = await infoOf(document);
    const { text, heading } = toPdfText(pages);
    return {
      text,
      title: titleOf(info['Title']) ?? heading,
      ...pairDates(
        toPageDate(textOf(info['CreationDate']), nowMs),
        toPageDate(textOf(info['ModDate']), nowMs),
      ),
      links: [...links.values()],
      truncated,
    };
  } finally {
    await document.loadingTask.destroy();
  }
}

type OpenDocument = typeof getDocumentProxy;
type PdfDocument = Awaited<ReturnType<OpenDocument>>;

async function openDocument(open: OpenDocument, bytes: Uint8Array): Promise<PdfDocument> {
  try {
    // Fonts of the machine and programs inside the file are nobody's business here.
    return await open(bytes, {
      verbosity: 0,
      useSystemFonts: false,
      enableXfa: false,
      stopAtErrors: false,
    });
  } catch {
    // Broken, or under a password; what the library says repeats the file.
    throw new UnreadableFile('unreadable');
  }
}

async function infoOf(document: PdfDocument): Promise<Readonly<Record<string, unknown>>> {
  try {
    const { info } = await document.getMetadata();
    return info as Readonly<Record<string, unknown>>;
  } catch {
    // The text is worth reading without a title and a date.
    return {};
  }
}

/** Null for what programs write there by themselves. */
function titleOf(title: unknown): string | null {
  const text = tidyLine(textOf(title) ?? '', 500).replace(/^Microsoft (?:Word|PowerPoint|Excel) - /, '');
  const isName =
    /^(?:untitled|document\d*|\(anonymous\)|slide 1)$/i.test(text) ||
    /\.(?:docx?|tex|dvi|indd|pptx?|qxd)$/i.test(text);
  return text === '' || isName ? null : text;
}

function addLinks(links: Map<string, PageLink>, annotations: readonly unknown[]): void {
  for (const annotation of annotations) {
    if (links.size >= linksMax) return;
    if (typeof annotation !== 'object' || annotation === null || !('url' in annotation)) continue;
    const url = toAddress(textOf(annotation.url), '');
    if (url !== null && !links.has(url)) links.set(url, { url, text: '' });
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
