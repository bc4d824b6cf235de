import { readdir, readFile } from 'node:fs/promises';
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
}

/** The pages of the documentation as a server gives them to browsers. Each is rendered once. */
export function createSite(root: URL): ServedSite {
  let reading: ReturnType<typeof readPages> | null = null;
  const rendered = new Map<string, (nonce: string) => string>();
  return {
    async page({ section, page }, nonce) {
      const all = await (reading ??= readPages(root));
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
  '<form class="search" role="search" action="/console/search"><input type="search" name="q" aria-label="Search the index of this server" placeholder="Search"></form>';
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
