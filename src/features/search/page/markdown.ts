import { Lexer, type Token } from 'marked';
import type { PageImage, PageLink } from '../page.ts';
import { toAddress } from './addresses.ts';
import { decodeText } from './charset.ts';
import { pairDates, toPageDate } from './dates.ts';
import type { Found, PageHead } from './job.ts';
import { tidyLine, toLanguage } from './tidy.ts';

const lengthMax = 4_000_000;
const linksMax = 3_000;

/** Markdown stays as it is, less its front matter and comments, which readers do not see. */
export function readMarkdown(bytes: Uint8Array, { url, charset, nowMs }: PageHead): Found {
  const source = decodeText(bytes, charset).slice(0, lengthMax).replaceAll('\r\n', '\n');
  const { fields, body } = frontMatter(source);
  const text = body.replaceAll(/<!--[^]*?(?:-->|$)/g, '');
  const links = new Map<string, PageLink>();
  const images = new Map<string, PageImage>();
  let heading = '';
  for (const token of tokensOf(new Lexer().lex(text))) {
    if (token.type === 'heading' && heading === '') heading = tidyLine(plainText(token), 500);
    if (token.type !== 'link' && token.type !== 'image') continue;
    const address = toAddress('href' in token ? String(token.href) : '', url);
    if (address === null || links.size + images.size >= linksMax) continue;
    const label = tidyLine(plainText(token), 200);
    if (token.type === 'link') links.set(address, { url: address, text: label });
    else images.set(address, { url: address, alt: label, width: null, height: null });
  }
  const field = (...names: readonly string[]) =>
    names.map((name) => fields.get(name)).find((value) => value !== undefined);
  return {
    text,
    title: tidyLine(field('title') ?? heading, 500),
    language: toLanguage(field('lang', 'language')),
    ...pairDates(
      toPageDate(field('date', 'published', 'pubdate'), nowMs),
      toPageDate(field('updated', 'lastmod', 'last_updated', 'modified'), nowMs),
    ),
    links: [...links.values()],
    images: [...images.values()],
  };
}

/** Plain `name: value` lines between two rows of dashes at the top. */
function frontMatter(source: string): {
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
} {
  const fields = new Map<string, string>();
  if (!source.startsWith('---\n')) return { fields, body: source };
  const end = source.indexOf('\n---', 3);
  if (end < 0 || end > 20_000) return { fields, body: source };
  for (const line of source.slice(4, end).split('\n')) {
    const pair = /^(?<name>[\w-]{1,40}):\s*(?<value>\S.{0,500})$/.exec(line)?.groups;
    if (pair !== undefined) {
      fields.set(
        (pair['name'] ?? '').toLowerCase(),
        (pair['value'] ?? '').trim().replaceAll(/^["']|["']$/g, ''),
      );
    }
  }
  return { fields, body: source.slice(end + 4).replace(/^-*[^\S\n]*\n/, '') };
}

/** Every token of a tree, in order. */
function* tokensOf(roots: readonly Token[]): Generator<Token, void, undefined> {
  const open: Token[] = roots.toReversed();
  for (let token = open.pop(); token !== undefined; token = open.pop()) {
    yield token;
    const inner = childrenOf(token);
    for (let at = inner.length - 1; at >= 0; at--) {
      const one = inner[at];
      if (one !== undefined) open.push(one);
    }
  }
}

function childrenOf(token: Token): readonly Token[] {
  if (token.type === 'list' && 'items' in token) return token.items as Token[];
  if (token.type === 'table' && 'header' in token && 'rows' in token) {
    const cells = [
      ...(token.header as { tokens: Token[] }[]),
      ...(token.rows as { tokens: Token[] }[][]).flat(),
    ];
    return cells.flatMap((cell) => cell.tokens);
  }
  return 'tokens' in token ? (token.tokens ?? []) : [];
}

function plainText(token: Token): string {
  const leaves = [...tokensOf('tokens' in token ? (token.tokens ?? []) : [])].filter(
    (one) => childrenOf(one).length === 0,
  );
  return leaves.length > 0
    ? leaves.map((one) => ('text' in one ? String(one.text) : '')).join('')
    : 'text' in token
      ? String(token.text)
      : '';
}
