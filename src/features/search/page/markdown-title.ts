import type { Token } from 'marked';
import { childrenOf, tokensOf } from './markdown-tokens.ts';

/** How much of HTML between headings is looked into. Unit: characters. */
const htmlMax = 4_000;

interface Heading {
  readonly level: number;
  readonly text: string;
}

/** Names of parts, which name no document. */
const part =
  /^(?:about|(?:table of )?contents|docs|documentation|examples?|features|getting started|install(?:ation)?|introduction|licen[cs]e|links|motivation|overview|quick start|usage)\b/i;

/**
 * What a document is called: its first heading, in Markdown or HTML. Empty where that is only the name of a part, below the
 * first level.
 */
export function headedTitle(roots: readonly Token[]): string {
  const first = roots.values().flatMap(toHeading).next().value;
  return first === undefined || (first.level > 1 && part.test(first.text.trim())) ? '' : first.text;
}

function toHeading(token: Token): readonly Heading[] {
  if (token.type === 'heading' && 'depth' in token)
    return [{ level: Number(token.depth), text: toLabel(wordsOf(token), imagesOf(token)) }];
  if (token.type !== 'html') return [];
  const inner = /<h1\b[^>]{0,500}>(?<inner>[^]{0,2000}?)<\/h1>/i.exec(token.raw.slice(0, htmlMax))?.groups?.[
    'inner'
  ];
  return inner === undefined ? [] : [{ level: 1, text: toLabel(withoutTags(inner), altsOf(inner)) }];
}

/** An image is the name where there are no words, as a logo is; a badge beside a name is no part of it. */
const toLabel = (words: string, images: readonly string[]): string =>
  words.trim() === '' ? (images.find((one) => one !== '') ?? '').replace(/ logo$/i, '') : words;

const wordsOf = (token: Token): string =>
  [...tokensOf([token], ({ type }) => type !== 'image')]
    .map((one) =>
      one.type === 'html' ? ' ' : childrenOf(one).length === 0 && 'text' in one ? String(one.text) : '',
    )
    .join('');

const imagesOf = (token: Token): readonly string[] =>
  [...tokensOf([token])].flatMap((one) => {
    if (one.type === 'image' && 'text' in one) return [String(one.text).trim()];
    return one.type === 'html' ? altsOf(one.raw) : [];
  });

const withoutTags = (html: string): string => html.replaceAll(/<[^<>]{0,1000}>/g, ' ');

const altsOf = (html: string): readonly string[] =>
  [...html.matchAll(/<img\b[^<>]{0,1000}?\balt=["'](?<alt>[^"'<>]{0,200})["']/gi)].map(
    (one) => one.groups?.['alt']?.trim() ?? '',
  );
