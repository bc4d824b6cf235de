import { Lexer } from 'marked';
import type { PageImage, PageLink } from '../page.ts';
import { toAddress } from './addresses.ts';
import { decodeText } from './charset.ts';
import { pairDates, toPageDate } from './dates.ts';
import type { Found, PageHead } from './job.ts';
import { withoutComments } from './markdown-comments.ts';
import { headedTitle } from './markdown-title.ts';
import { plainText, tokensOf } from './markdown-tokens.ts';
import { tidyLine, toLanguage } from './tidy.ts';

const lengthMax = 4_000_000;
const linksMax = 3_000;

/** Markdown stays as it is, less its front matter and its comments, which readers do not see. */
export function readMarkdown(bytes: Uint8Array, { url, charset, nowMs }: PageHead): Found {
  const source = decodeText(bytes, charset).slice(0, lengthMax).replaceAll('\r\n', '\n');
  const { fields, body } = frontMatter(source);
  const text = withoutComments(body);
  const links = new Map<string, PageLink>();
  const images = new Map<string, PageImage>();
  const tokens = new Lexer().lex(text);
  for (const token of tokensOf(tokens)) {
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
    title: tidyLine(field('title') ?? headedTitle(tokens), 500),
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
