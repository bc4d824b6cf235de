/** What the server has: the README, and the pages of two folders. */
export type Section = 'guide' | 'reference';

export interface DocumentName {
  /** Null is the README. */
  readonly section: Section | null;
  readonly page: string;
}

export const readme: DocumentName = { section: null, page: 'README' };

/** The part of the console's address behind `/docs`; unknown ones are the README. */
export function parseDocument(rest: string): DocumentName {
  const [, section, page = ''] = /^\/(guide|reference)\/([A-Za-z0-9-]{1,64})$/.exec(rest) ?? [];
  return section === 'guide' || section === 'reference' ? { section, page } : readme;
}

/** Where the server has the Markdown of a page. */
export function toSource({ section, page }: DocumentName): string {
  return section === null ? `/docs/${page}` : `/docs/${section}/${page}`;
}

/** Where the console shows it. */
export function toPath({ section, page }: DocumentName): string {
  return section === null ? '/docs' : `/docs/${section}/${page}`;
}

/**
 * Where a link of a page leads within the console, with its anchor; null for what is not a page that the server has.
 * Pages link to each other as files of the repository.
 */
export function followLink(from: DocumentName, href: string): string | null {
  const file = from.section === null ? 'README.md' : `docs/${from.section}/${from.page}.md`;
  const target = URL.parse(href, `https://repository.invalid/${file}`);
  if (target?.host !== 'repository.invalid') return null;
  const [, section, page = ''] =
    /^\/docs\/(guide|reference)\/([A-Za-z0-9-]{1,64})\.md$/.exec(target.pathname) ?? [];
  if (section === 'guide' || section === 'reference') return toPath({ section, page }) + target.hash;
  return target.pathname === '/README.md' ? toPath(readme) + target.hash : null;
}
