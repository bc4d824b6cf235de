import { renderMarkdown, type ToAddress } from '../../../src/features/service/site/markdown.ts';
import { toGroups, type PageName } from '../../../src/features/service/site/navigation.ts';
import { toPage } from '../../../src/features/service/site/page.ts';
import { script } from '../../../src/features/service/site/script.ts';
import { readPages, toSections } from '../../../src/features/service/site/served.ts';
import { style } from '../../../src/features/service/site/style.ts';

const pathOf = ({ section, page }: PageName): string =>
  section === null ? 'index.html' : `${section}/${page}.html`;

/** The documentation as files that need no server: contents by path. */
export async function buildSite(root: URL): Promise<ReadonlyMap<string, string>> {
  const pages = await readPages(root);
  const groups = toGroups(pages);
  const files = new Map([
    ['style.css', style],
    ['script.js', script],
  ]);
  for (const page of pages) {
    const base = page.section === null ? '' : '../';
    const toAddress: ToAddress = ({ hash, ...to }) => `${base}${pathOf(to)}${hash}`;
    const rendered = renderMarkdown(page.text, page, toAddress);
    const head = `<link rel="stylesheet" href="${base}style.css">\n<script defer src="${base}script.js"></script>`;
    const search = `<div class="search" role="search"><input type="search" aria-label="Search the documentation" placeholder="Search ( / )" data-base="${base}" data-sections="${base}sections.js"><ol aria-label="Found"></ol></div>`;
    files.set(pathOf(page), toPage({ page, rendered, groups, toAddress, head, search }));
  }
  const sections = toSections(pages, ({ hash, ...to }) => pathOf(to) + hash);
  files.set('sections.js', `globalThis.nestorSections = ${JSON.stringify(sections)};\n`);
  return files;
}
