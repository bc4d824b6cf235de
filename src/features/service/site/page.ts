import { escape, type Rendered, type ToAddress } from './markdown.ts';
import type { Group, PageEntry } from './navigation.ts';

interface Layout {
  readonly page: PageEntry;
  readonly rendered: Rendered;
  readonly groups: readonly Group[];
  readonly toAddress: ToAddress;
  /** Elements of the head: styles and script. */
  readonly head: string;
  /** The field that searches; empty where there is none. */
  readonly search: string;
}

/** A page of the documentation, whole. It works without its script: that adds copying, tabs and search. */
export function toPage({ page, rendered, groups, toAddress, head, search }: Layout): string {
  const { html, title, headings } = rendered;
  const isHere = (one: PageEntry) => one.section === page.section && one.page === page.page;
  const link = (one: PageEntry) =>
    `<li><a href="${escape(toAddress({ ...one, hash: '' }))}"${isHere(one) ? ' aria-current="page"' : ''}>${escape(one.title)}</a></li>`;
  const list = groups.map(
    (group) =>
      `<details${group.title !== 'Reference' || group.pages.some(isHere) ? ' open' : ''}><summary>${escape(group.title)}</summary><ul>${group.pages.map(link).join('')}</ul></details>`,
  );
  const contents = headings
    .filter(({ depth }) => depth === 2 || depth === 3)
    .map(({ depth, id, text }) => `<li class="depth-${depth}"><a href="#${id}">${escape(text)}</a></li>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)} · Nestor</title>
${head}
</head>
<body>
<a class="skip" href="#main">Skip to the page</a>
<header><a class="brand" href="${escape(toAddress({ section: null, page: 'README', hash: '' }))}">Nestor</a>${search}</header>
<div class="columns">
<nav aria-label="Pages"><details class="menu" open><summary>All pages</summary>${list.join('\n')}</details></nav>
<main id="main" tabindex="-1">
${html}</main>
<aside aria-label="On this page">${contents.length < 2 ? '' : `<h2>On this page</h2><ul>${contents.join('')}</ul>`}</aside>
</div>
</body>
</html>
`;
}
