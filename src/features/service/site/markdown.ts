import { Marked, type Token, type Tokens } from 'marked';
import { followLink, type PageName } from './navigation.ts';

export interface Heading {
  readonly depth: number;
  readonly id: string;
  /** Without marks. */
  readonly text: string;
}

/** What stands below a heading, as words. */
export interface Section extends Heading {
  readonly words: string;
}

export interface Rendered {
  readonly html: string;
  readonly title: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
}

/** The address of a page that another links to. */
export type ToAddress = (to: PageName & { readonly hash: string }) => string;

/** A page of the repository as HTML. What is HTML in it is for its tests and left out. */
export function renderMarkdown(text: string, name: PageName, toAddress: ToAddress): Rendered {
  const marked = new Marked({ gfm: true });
  const tokens = marked.lexer(text).filter(({ type }) => type !== 'html' && type !== 'space');
  const outline = createOutline();
  marked.use({
    renderer: {
      html: () => '',
      heading({ tokens: inner, depth, text: raw }) {
        const { id } = outline.enter(depth, toWords(raw));
        return `<h${depth} id="${id}">${this.parser.parseInline(inner)}</h${depth}>\n`;
      },
      code: ({ text: code, lang = '' }) => toExample(code, lang),
      link({ href, tokens: inner }) {
        const words = this.parser.parseInline(inner);
        const to = followLink(name, href);
        if (to !== null) return `<a href="${escape(toAddress(to))}">${words}</a>`;
        return /^https?:/.test(href) ? `<a href="${escape(href)}" rel="noreferrer">${words}</a>` : words;
      },
      image: ({ text: words }) => escape(words),
      table(table) {
        const cells = (row: Tokens.TableCell[], tag: 'td' | 'th') =>
          `<tr>${row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const body = table.rows.map((row) => cells(row, 'td')).join('\n');
        return `<div class="wide" tabindex="0" role="region" aria-label="Table"><table><thead>${cells(table.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  const html = toBlocks(tokens)
    .map((block) => {
      if ('tabs' in block) {
        for (const { code } of block.tabs) outline.add(code);
        return toTabs(block.tabs);
      }
      // What stands below a heading is noted once the heading is.
      const html = marked.parser([block.token]);
      if (block.token.type !== 'heading') outline.add(block.token.raw);
      return html;
    })
    .join('');
  const { headings, sections } = outline;
  return { html, title: headings[0]?.text ?? name.page, headings, sections };
}

/** The headings of a page, with what stands below each. */
function createOutline() {
  const headings: Heading[] = [];
  const sections: (Heading & { words: string })[] = [];
  const taken = new Map<string, number>();
  return {
    headings,
    sections,
    enter(depth: number, text: string): Heading {
      const plain = toAnchor(text);
      const before = taken.get(plain) ?? 0;
      taken.set(plain, before + 1);
      const heading = { depth, text, id: before === 0 ? plain : `${plain}-${before}` };
      headings.push(heading);
      sections.push({ ...heading, words: '' });
      return heading;
    },
    add(raw: string): void {
      const last = sections.at(-1);
      if (last !== undefined) last.words = `${last.words} ${toWords(raw)}`.trim();
    },
  };
}

/** As GitHub makes anchors of headings. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Without the marks of Markdown. */
const toWords = (raw: string): string =>
  raw
    .replaceAll(/\]\([^()\s]{1,400}\)/g, ' ')
    .replaceAll(/[`*#|[\]>]|-{3,}/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

interface Tab {
  readonly language: string;
  readonly code: string;
  /** What the program prints. */
  readonly printed: string | null;
}

const tabLanguages: Readonly<Record<string, string>> = { sh: 'curl', ts: 'TypeScript', python: 'Python' };
const leadIn = /^(?:From|In|The same from) (?:TypeScript|Python)[^.:]{0,60}:$/;

type Block = { readonly token: Token } | { readonly tabs: readonly Tab[] };

/** The same example in several languages, one behind the other, becomes one with tabs. */
function toBlocks(tokens: readonly Token[]): readonly Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < tokens.length;) {
    const { tabs, next } = takeTabs(tokens, at);
    const token = tokens[at];
    if (tabs.length > 1) blocks.push({ tabs });
    else if (token !== undefined) blocks.push({ token });
    at = tabs.length > 1 ? next : at + 1;
  }
  return blocks;
}

function takeTabs(tokens: readonly Token[], from: number): { tabs: readonly Tab[]; next: number } {
  const tabs: Tab[] = [];
  let next = from;
  for (let at = from; at < tokens.length;) {
    if (tabs.length > 0 && leadIn.test(tokens[at]?.raw.trim() ?? '')) at++;
    else if (tabs.length > 0) break;
    const code = codeOf(tokens[at]);
    const language = tabLanguages[code?.lang ?? ''];
    if (code === null || language === undefined || tabs.some((tab) => tab.language === language)) break;
    const after = codeOf(tokens[at + 1]);
    const printed = after?.lang === 'json' ? after.text : null;
    tabs.push({ language, code: code.text, printed });
    at += printed === null ? 1 : 2;
    next = at;
  }
  // What stands first asks the server: a command of the shell is no example of a request.
  return tabs[0]?.language === 'curl' && !tabs[0].code.includes('curl') ? { tabs: [], next } : { tabs, next };
}

const codeOf = (token: Token | undefined): Tokens.Code | null =>
  token?.type === 'code' ? (token as Tokens.Code) : null;

const toTabs = (tabs: readonly Tab[]): string => {
  const panels = tabs.map(
    ({ language, code, printed }) =>
      `<section data-tab="${language}"><h4 class="tab">${language}</h4>${toExample(code, language)}${printed === null ? '' : toExample(printed, 'json')}</section>`,
  );
  return `<div class="tabs">${panels.join('')}</div>\n`;
};

const toExample = (code: string, language: string): string =>
  `<div class="example"><pre tabindex="0" role="region" aria-label="Example${language === '' ? '' : `, ${escape(language)}`}"><code>${escape(code)}</code></pre></div>\n`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => entities[mark] ?? mark);
