import { beginningOf } from '../../../kernel/kit/text.ts';
import type { Page } from '../page.ts';

// Characters that no reader sees and that carry orders past them: zero-width spaces, direction marks, tags,
// supplementary variation selectors, controls. Joiners and the usual selectors stay: Persian, Hindi and emoji are
// written with them. So do the format signs of Arabic and Syriac numbers, which are seen.
const invisible =
  /[[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]--[\t\n\r\p{Join_Control}\u{fe00}-\u{fe0f}\u{600}-\u{605}\u{6dd}\u{70f}]]/gv;
// Emoji have two of them in a row; more hide bytes.
const repeated =
  /(?<kept>[\p{Join_Control}\p{Variation_Selector}]{2})[\p{Join_Control}\p{Variation_Selector}]+/gu;

/** One line: invisible characters gone, white space single. */
export function tidyLine(text: string, lengthMax = 1_000): string {
  const cut = text.length > lengthMax * 4 ? text.slice(0, lengthMax * 4) : text;
  return beginningOf(visible(cut).replaceAll(/\s+/gu, ' ').trim(), lengthMax);
}

/** Several lines: no white space at their ends, at most one empty line between two. */
export function tidyText(text: string): string {
  return visible(text)
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll('\u00a0', ' ')
    .replaceAll(/(?<![ \t])[ \t]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** Cut at a line or word where one ends near. `tokensMax` counts about four letters, or one sign without letters. */
export function cutToTokens(
  text: string,
  tokensMax: number,
): { readonly text: string; readonly cut: boolean } {
  let tokens = 0;
  for (let at = 0; at < text.length; at++) {
    // Scripts beyond the alphabets of Europe and the Near East take about one token per sign.
    tokens += text.charCodeAt(at) < 0x0900 ? 0.25 : 1;
    if (tokens <= tokensMax) continue;
    const kept = beginningOf(text, at);
    const end = Math.max(kept.lastIndexOf('\n'), kept.lastIndexOf(' '));
    return { text: (end > kept.length - 200 && end > 0 ? kept.slice(0, end) : kept).trimEnd(), cut: true };
  }
  return { text, cut: false };
}

function visible(text: string): string {
  return text.toWellFormed().replaceAll(invisible, '').replaceAll(repeated, '$<kept>');
}

/** ISO 639-1 code of a declared tag such as `de-AT` or `pt_BR`; null for any other text. */
export function toLanguage(tag: string | null | undefined): string | null {
  const found = /^\s*(?<language>[a-z]{2})(?:[-_,\s]|$)/i.exec(tag ?? '');
  return found?.groups?.['language']?.toLowerCase() ?? null;
}

/** What directives for robots, of a page or of its answer, allow. */
export function readRobotsTag(directives: string): Page['robots'] {
  return {
    index: !/\b(?:none|noindex)\b/i.test(directives),
    follow: !/\b(?:none|nofollow)\b/i.test(directives),
  };
}
