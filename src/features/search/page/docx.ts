import { readArchive, writeArchive, type ArchiveEntry } from './archive.ts';
import { pairDates, toPageDate } from './dates.ts';
import type { HtmlReader } from './html.ts';
import { collectLinks } from './html-meta.ts';
import { UnreadableFile, type Found, type PageHead } from './job.ts';
import { tidyLine } from './tidy.ts';

/** Text, title and dates of a word processor's file. Its pictures and what it links to are not touched. */
export async function readDocx(bytes: Uint8Array, { nowMs }: PageHead, html: HtmlReader): Promise<Found> {
  // The converter inflates whatever it finds, so it gets an archive of what was inflated here under caps.
  const entries = await readArchive(bytes, (name) => /\.(?:xml|rels)$/i.test(name));
  if (!entries.some(({ name }) => name === 'word/document.xml')) throw new UnreadableFile('unreadable');
  const { default: mammoth } = await import('mammoth');
  let converted: string;
  try {
    const convertImage = mammoth.images.imgElement(() => Promise.resolve({ src: '' }));
    const result = await mammoth.convertToHtml(
      { buffer: writeArchive(entries.map(withoutHidden)) },
      { convertImage, externalFileAccess: false, includeEmbeddedStyleMap: false },
    );
    converted = result.value;
  } catch {
    // A broken document; what the library says repeats parts of it.
    throw new UnreadableFile('unreadable');
  }
  const { text, document } = html.readFragment(converted);
  const core =
    entries
      .find(({ name }) => name === 'docProps/core.xml')
      ?.bytes.toString('utf8')
      .slice(0, 20_000) ?? '';
  const property = (name: string) =>
    tidyLine(
      unescapeXml(
        new RegExp(`<${name}\\b[^>]{0,200}>(?<value>[^<]{0,1000})<`).exec(core)?.groups?.['value'] ?? '',
      ),
      500,
    );
  const heading = tidyLine(document.querySelector('h1, h2, h3')?.textContent ?? '', 500);
  const title = property('dc:title');
  return {
    text,
    title: title === '' ? heading : title,
    ...pairDates(
      toPageDate(property('dcterms:created'), nowMs),
      toPageDate(property('dcterms:modified'), nowMs),
    ),
    links: collectLinks(document, ''),
  };
}

/** Runs that are marked as hidden: the word processor shows them to nobody. */
function withoutHidden({ name, bytes }: ArchiveEntry): ArchiveEntry {
  if (!/^word\/(?:document|footnotes|endnotes)\.xml$/.test(name)) return { name, bytes };
  const source = bytes.toString('utf8');
  if (!source.includes('<w:vanish')) return { name, bytes };
  const shown = source.replaceAll(/<w:r[ >][^]*?(?:<\/w:r>|$)/g, (run) =>
    /<w:vanish(?:\s*\/>|\s+w:val="(?:1|true|on)")/.test(run) ? '' : run,
  );
  return { name, bytes: Buffer.from(shown, 'utf8') };
}

function unescapeXml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
}
