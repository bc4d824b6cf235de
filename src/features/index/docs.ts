import { readFile, readdir } from 'node:fs/promises';

import { type Page } from '../search/feature.ts';
import { passagesPerDocument } from '../../kernel/store/index-documents.ts';
import type { IndexingContext } from './context.ts';
import { sourceId } from './source.ts';
import { splitPassages } from './split.ts';
import { embedAtHand, hashOf } from './to-document.ts';
import type { PassageText } from './windows.ts';

/** Where the server shows the pages of the guide. Citations link to it: `<address of the server>/docs/guide/keys`. */
export const docsPath = '/docs/';

/** Stands for Nestor's own documentation among the sources. */
export const docsLocation = 'nestor:docs';

/** Options of that source: somebody does not want it to be found. */
const off = JSON.stringify({ isOff: true });

/** Forgets the documentation, and stays so: the source is kept, without documents. Returns how many they were. */
export async function switchOffDocs({
  sources,
  corpus,
}: Pick<IndexingContext, 'sources' | 'corpus'>): Promise<number> {
  const id = sourceId(docsLocation);
  const documents = await corpus.count(id);
  await sources.clear(id, off);
  return documents;
}

/** Has the next start of a server index it again. */
export const switchOnDocs = ({ sources }: Pick<IndexingContext, 'sources'>): Promise<void> =>
  sources.clear(sourceId(docsLocation), '{}');

/** Raised when splitting changes, so that the next start reads the pages again. */
const splitVersion = 2;

/** Whether an earlier start has put the documentation into the index, or somebody does not want it there. */
export async function isDocsSettled({ sources }: Pick<IndexingContext, 'sources'>): Promise<boolean> {
  const known = await sources.find(sourceId(docsLocation));
  return known !== undefined && (known.outcome !== null || known.options === off);
}

export interface DocsOptions {
  /** Folder with README.md and docs/. */
  readonly root: URL;
  /** Address of this server without a slash at its end. */
  readonly base: string;
}

/**
 * Indexes Nestor's own documentation, with the vectors that ship, so that the first question is answered as later ones are; a
 * page that has changed since is found by its words, and its vectors follow behind. The same
 * pages at the same address cost one look at the store, and a page that did not change keeps its vectors. Once switched off
 * it is left alone.
 */
export async function indexDocs(
  context: IndexingContext,
  { root, base }: DocsOptions,
  signal: AbortSignal,
): Promise<void> {
  const pages = await readPages(root);
  const version = hashOf(JSON.stringify([splitVersion, base, pages]));
  const { sources, corpus, clock, maker, embedder } = context;
  const id = sourceId(docsLocation);
  const known = await sources.find(id);
  if (known?.options === off || known?.outcome === JSON.stringify({ version })) return;
  await sources.ensure({
    id,
    kind: 'docs',
    location: docsLocation,
    options: '{}',
    everyMs: null,
    addedAtMs: clock.now(),
  });
  const nowMs = clock.now();
  const urlOf = ({ name }: DocsPage) => `${base}${docsPath}${name}`;
  const heads = await corpus.heads(id, pages.map(urlOf));
  for (const docsPage of pages) {
    const { text } = docsPage;
    const origin = {
      sourceId: id,
      url: urlOf(docsPage),
      hash: hashOf(`${splitVersion}\n${text}`),
      etag: null,
      lastModified: null,
      fetchedAtMs: nowMs,
    };
    const head = heads.get(origin.url);
    if (head?.hash === origin.hash) await corpus.touch([head.id], nowMs);
    else {
      const page = await maker.split(toPage(text, origin.url), origin, signal);
      await corpus.put([await embedAtHand(page, embedder, signal)]);
    }
  }
  // Pages of an earlier version, or at another address.
  while ((await corpus.removeUnseen(id, nowMs, 100)) > 0);
  await sources.finish(id, clock.now(), JSON.stringify({ version }));
}

/** Passages of the documentation in a folder, as the index splits them. */
export async function docsPassages(folder: URL): Promise<readonly PassageText[]> {
  const pages = await readPages(folder);
  return pages.flatMap(({ text }) => {
    const { title } = toPage(text, '');
    return splitPassages(text, passagesPerDocument).map(({ heading, text: said }) => ({
      title,
      heading,
      text: said,
    }));
  });
}

interface DocsPage {
  /** Its place below `docs/`, without extension. */
  readonly name: string;
  readonly text: string;
}

async function readPages(root: URL): Promise<readonly DocsPage[]> {
  // Not docs/reference: with it the right page came first for 72% of the questions about Nestor, without it for 83%.
  const names = ['README.md', ...(await markdownIn(root, 'docs/guide/'))];
  return Promise.all(
    names.map(async (name) => ({
      name: name.replace(/^docs\//, '').replace(/\.md$/, ''),
      // Comments are for the tests of the examples, not for readers.
      text: (await readFile(new URL(name, root), 'utf8')).replaceAll(/<!--[^]*?(?:-->\n*|$)/g, ''),
    })),
  );
}

async function markdownIn(root: URL, folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(new URL(folder, root));
    return names
      .filter((name) => name.endsWith('.md'))
      .toSorted()
      .map((name) => folder + name);
  } catch {
    return [];
  }
}

/** A page of Nestor's own Markdown, without the page reader and its thread. */
function toPage(text: string, url: string): Page {
  return {
    url,
    canonicalUrl: url,
    title: /^# (?<title>.+)$/m.exec(text)?.groups?.['title'] ?? '',
    text,
    language: 'en',
    date: null,
    lastUpdated: null,
    links: [],
    images: [],
    siteName: 'Nestor',
    robots: { index: true, follow: true },
    truncated: false,
    listing: null,
  };
}
