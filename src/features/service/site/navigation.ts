/** A page of the documentation: of the guide, of the reference, or the README. */
export interface PageName {
  readonly section: 'guide' | 'reference' | null;
  readonly page: string;
}

export interface PageEntry extends PageName {
  /** Its first heading. */
  readonly title: string;
}

export interface Group {
  readonly title: string;
  readonly pages: readonly PageEntry[];
}

/** The order of the guide. A page that stands in none of these is in a group of its own at the end. */
const guide: Readonly<Record<string, string>> = {
  Start: 'getting-started console command-line moving-over',
  Decisions:
    'decisions batches engines encoder deciders evaluation guarantees learning question-examples decision-models',
  Answers: 'chat jobs agent verification sandbox skills search search-index outgoing-requests',
  Models: 'models router claude-code codex opencode editors openai-tools embeddings mcp',
  Accounts: 'keys accounts rate-limits',
  'Running it': 'configuration deployment operations errors security',
};

/** All pages in the order in which they are listed. */
export function toGroups(pages: readonly PageEntry[]): readonly Group[] {
  const left = new Map(pages.filter(({ section }) => section === 'guide').map((one) => [one.page, one]));
  const groups = Object.entries(guide).map(([title, names]) => ({
    title,
    pages: names.split(' ').flatMap((name) => {
      const found = left.get(name);
      left.delete(name);
      return found === undefined ? [] : [found];
    }),
  }));
  const reference = pages.filter(({ section }) => section === 'reference');
  return [
    ...groups,
    { title: 'More', pages: [...left.values()] },
    { title: 'Reference', pages: reference },
  ].filter((group) => group.pages.length > 0);
}

/** The file of a page in the repository. */
export const fileOf = ({ section, page }: PageName): string =>
  section === null ? `${page}.md` : `docs/${section}/${page}.md`;

/** The page that a link leads to; null for a link to something else. Pages link to each other as files. */
export function followLink(from: PageName, href: string): (PageName & { readonly hash: string }) | null {
  const target = URL.parse(href, `https://repository.invalid/${fileOf(from)}`);
  if (target?.host !== 'repository.invalid') return null;
  const { pathname, hash } = target;
  const [, section, page = ''] = /^\/docs\/(guide|reference)\/([A-Za-z0-9-]{1,64})\.md$/.exec(pathname) ?? [];
  if (section === 'guide' || section === 'reference') return { section, page, hash };
  return pathname === '/README.md' ? { section: null, page: 'README', hash } : null;
}
