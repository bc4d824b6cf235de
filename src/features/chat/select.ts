import { countTokens } from '../../kernel/kit/words.ts';
import type { Found } from '../search/feature.ts';

interface Selection {
  readonly countMax: number;
  /** Over all, and of one. Unit: tokens. */
  readonly tokensMax: number;
  readonly tokensPerPageMax: number;
}

/** Less of a text than this says nothing. */
const restTokensMin = 40;

/** The first of the sources whose texts fit, the text of each cut at the end of a sentence where one is near. */
export function selectSources(
  found: readonly Found[],
  { countMax, tokensMax, tokensPerPageMax }: Selection,
): readonly Found[] {
  const selected: Found[] = [];
  let left = tokensMax;
  for (const one of found) {
    if (selected.length >= countMax || left <= 0) break;
    const whole = one.text.trim() === '' ? one.snippet : one.text;
    const text = cutText(whole, Math.min(left, tokensPerPageMax));
    const tokens = countTokens(text);
    if (text.length < whole.length && tokens < restTokensMin) break;
    left -= tokens;
    selected.push({ ...one, text });
  }
  return selected;
}

/** At most so many tokens of a text. */
export function cutText(text: string, tokensMax: number): string {
  if (text.length <= tokensMax || countTokens(text) <= tokensMax) return text;
  let [low, high] = [0, text.length];
  // The count never falls with the length, so the longest beginning that fits is found by halves.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (countTokens(text.slice(0, middle)) <= tokensMax) low = middle;
    else high = middle - 1;
  }
  const cut = text.slice(0, low);
  const end = Math.max(cut.lastIndexOf('. '), cut.lastIndexOf('\n'), cut.lastIndexOf('。'));
  return end > cut.length / 2 ? cut.slice(0, end + 1) : cut;
}
