import { readdir, readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { renderMarkdown, type ToAddress } from './markdown.ts';
import { fileOf, toGroups, type PageEntry, type PageName } from './navigation.ts';
import { toPage } from './page.ts';
import { script } from './script.ts';
import { style } from './style.ts';

/** Reads every page below a folder that has README.md and docs/. */
export async function readPages(root: URL): Promise<readonly (PageEntry & { readonly text: string })[]> {
  const names: PageName[] = [{ section: null, page: 'README' }];
  for (const section of ['guide', 'reference'] as const) {
    const files = await readdir(new URL(`docs/${section}/`, root));
    for (const file of files.toSorted())
      if (file.endsWith('.md')) names.push({ section, page: file.slice(0, -'.md'.length) });
  }
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(fileOf(name), root), 'utf8');
      return { ...name, text, title: /^# (.{1,200})$/m.exec(text)?.[1] ?? name.page };
    }),
  );
}

/** Where a server has its pages. */
const toAddress: ToAddress = ({ section, page, hash }) =>
  section === null ? `/docs/${page}${hash}` : `/docs/${section}/${page}${hash}`;

export interface ServedSite {
  /** A page for a person, with its styles and script under this nonce; null when there is none. */
  page(name: PageName, nonce: string): Promise<string | null>;
  /** What the search of the pages looks in, as JSON. It is made once. */
  sections(): Promise<Buffer>;
}

/** A heading and the words below it. */
type FoundSection = readonly [address: string, page: string, heading: string, words: string];

/** What a search of the documentation looks in. */
export function toSections(
  pages: readonly (PageEntry & { readonly text: string })[],
  toAddress: ToAddress,
): readonly FoundSection[] {
  return pages.flatMap((page) =>
    renderMarkdown(page.text, page, toAddress).sections.map(
      ({ id, text, words }) => [toAddress({ ...page, hash: `#${id}` }), page.title, text, words] as const,
    ),
  );
}

/** The pages of the documentation as a server gives them to browsers. Each is rendered once. */
export function createSite(root: URL): ServedSite {
  let reading: ReturnType<typeof readPages> | null = null;
  const read = () => (reading ??= readPages(root));
  let sections: Promise<Buffer> | null = null;
  const makeSections = async () => {
    const sections: FoundSection[] = [];
    for (const page of await read()) {
      sections.push(...toSections([page], toAddress));
      // Requests go on between the pages.
      await nextTurn();
    }
    return Buffer.from(JSON.stringify({ sections }));
  };
  const rendered = new Map<string, (nonce: string) => string>();
  return {
    sections: () => (sections ??= makeSections()),
    async page({ section, page }, nonce) {
      const all = await read();
      const found = all.find((one) => one.section === section && one.page === page);
      if (found === undefined) return null;
      const name = fileOf(found);
      const known = rendered.get(name) ?? toTemplate(found, all);
      rendered.set(name, known);
      return known(nonce);
    },
  };
}

const search =
  '<div class="search" role="search"><input type="search" aria-label="Search the documentation" placeholder="Search ( / )" data-base="" data-json="/docs/sections.json"><ol aria-label="Found"></ol></div>';
const placeholder = 'nonce-of-this-answer';

function toTemplate(page: PageEntry & { readonly text: string }, all: readonly PageEntry[]) {
  const html = toPage({
    page,
    rendered: renderMarkdown(page.text, page, toAddress),
    groups: toGroups(all),
    toAddress,
    head: `<style nonce="${placeholder}">${style}</style>\n<script type="module" nonce="${placeholder}">${script}</script>`,
    search,
  });
  return (nonce: string) => html.replaceAll(`nonce="${placeholder}"`, `nonce="${nonce}"`);
}
