import { beginningOf } from '../../kernel/kit/text.ts';
import { countInto, countTokens, type TokenCount } from '../../kernel/kit/words.ts';
import { stemsOf } from './rank.ts';

/** One piece of a text that stands for itself. */
interface Passage {
  readonly text: string;
  readonly tokens: number;
  readonly score: number;
}

const passageTokensMax = 160;
/** Usual constants of BM25. */
const k1 = 1.2;
const b = 0.5;

/** Passages of a text that may be returned; the best have the highest `score`. */
export interface ChosenPassages {
  readonly passages: readonly Passage[];
  /** Sum over the passages. Unit: tokens. */
  readonly tokens: number;
}

/**
 * Passages of a text that fit a query, in the order of the text. Where none does, `other` is taken (the engine's own
 * snippet), else how the text begins.
 */
export function choosePassages(text: string, other: string, terms: readonly string[]): ChosenPassages {
  const scored = scorePassages(splitPassages(text), terms);
  const fitting = scored.filter(({ score }) => score > 0);
  const chosen = fitting.length > 0 ? fitting : other === '' ? scored : whole(other);
  return { passages: chosen, tokens: chosen.reduce((sum, { tokens }) => sum + tokens, 0) };
}

/** At most `tokensMax` of the passages: the best, in the order of the text, the last cut at a sentence. */
export function joinPassages({ passages, tokens }: ChosenPassages, tokensMax: number): string {
  const places = passages.map((_, place) => place);
  if (tokens > tokensMax)
    places.sort((x, y) => (passages[y]?.score ?? 0) - (passages[x]?.score ?? 0) || x - y);
  const texts = new Map<number, string>();
  let left = tokensMax;
  for (const place of places) {
    const passage = passages[place];
    if (passage === undefined || left <= 0) break;
    const text = passage.tokens <= left ? passage.text : cutToSentence(passage.text, left);
    if (text !== '') texts.set(place, text);
    left -= passage.tokens;
  }
  return [...texts.keys()]
    .toSorted((x, y) => x - y)
    .map((place) => texts.get(place) ?? '')
    .join('\n\n');
}

/**
 * Shares tokens out: each need is met as long as it is no more than an even share, and the rest is shared among the
 * others. Tokens that do not divide go to the first.
 */
export function shareTokens(needs: readonly number[], tokensMax: number): readonly number[] {
  const shares = needs.map(() => 0);
  let left = tokensMax;
  const open = needs.map((_, index) => index).toSorted((x, y) => (needs[x] ?? 0) - (needs[y] ?? 0) || y - x);
  for (const [place, index] of open.entries()) {
    const share = Math.min(needs[index] ?? 0, Math.floor(left / (open.length - place)));
    shares[index] = share;
    left -= share;
  }
  for (const [index, need] of needs.entries()) {
    const more = Math.min(left, need - (shares[index] ?? 0));
    shares[index] = (shares[index] ?? 0) + more;
    left -= more;
  }
  return shares;
}

/** The beginning of a text: whole sentences as far as they fit, else words. Empty when not even a word fits. */
export function cutToSentence(text: string, tokensMax: number): string {
  if (countTokens(text) <= tokensMax) return text;
  const words = cutToWord(text, tokensMax);
  const end =
    /^[\s\S]*(?:[.!?…](?=\s|["')\]»”’]*(?:\s|$))["')\]»”’]*|[。！？]|\n(?=\s*\S))/u
      .exec(words)?.[0]
      .trimEnd() ?? '';
  // A sentence that would leave most of the room empty is worth less than its first words.
  return end.length > words.length / 4 ? end : words;
}

function cutToWord(text: string, tokensMax: number): string {
  const count: TokenCount = { tokens: 0, run: 0 };
  let end = 0;
  for (const { index } of text.matchAll(/\s+|$/gu)) {
    countInto(count, text, end, index);
    if (count.tokens > tokensMax) break;
    end = index;
  }
  if (end > 0 || tokensMax <= 0) return text.slice(0, end).trimEnd();
  // A text without spaces, as Chinese is written.
  count.tokens = 0;
  count.run = 0;
  while (end < text.length) {
    countInto(count, text, end, end + 1);
    if (count.tokens > tokensMax) break;
    end++;
  }
  return beginningOf(text, end).trimEnd();
}

function whole(text: string): readonly Passage[] {
  return [{ text, tokens: countTokens(text), score: 1 }];
}

/** Paragraphs, a heading with what follows it; long ones in pieces of whole sentences. */
function splitPassages(text: string): readonly string[] {
  const passages: string[] = [];
  let heading = '';
  for (const block of text.split(/\n{2,}/)) {
    const trimmed = block.trim();
    if (trimmed === '') continue;
    if (/^#{1,6} [^\n]*$/.test(trimmed)) {
      heading = heading === '' ? trimmed : `${heading}\n${trimmed}`;
      continue;
    }
    const [first = '', ...others] = splitLong(trimmed);
    passages.push(heading === '' ? first : `${heading}\n${first}`, ...others);
    heading = '';
  }
  return passages;
}

function splitLong(block: string): readonly string[] {
  if (countTokens(block) <= passageTokensMax) return [block];
  const pieces: string[] = [];
  let piece = '';
  let tokens = 0;
  for (const sentence of block.split(/(?<=[.!?…]["')\]»”’]?)(?=\s)|(?<=[。！？])|(?<=\n)/u)) {
    const more = countTokens(sentence);
    if (tokens > 0 && tokens + more > passageTokensMax) {
      pieces.push(piece.trim());
      piece = '';
      tokens = 0;
    }
    piece += sentence;
    tokens += more;
  }
  pieces.push(piece.trim());
  return pieces.filter((one) => one !== '');
}

function scorePassages(texts: readonly string[], terms: readonly string[]): readonly Passage[] {
  const counts = texts.map((text) => {
    const found = new Map<string, number>();
    const stems = stemsOf(text);
    for (const word of stems) if (terms.includes(word)) found.set(word, (found.get(word) ?? 0) + 1);
    return { found, length: stems.length };
  });
  const mean = counts.reduce((sum, { length }) => sum + length, 0) / (counts.length || 1) || 1;
  const rarity = new Map(
    terms.map((term) => {
      const holding = counts.filter(({ found }) => found.has(term)).length;
      return [term, Math.log(1 + (counts.length - holding + 0.5) / (holding + 0.5))] as const;
    }),
  );
  return texts.map((text, place) => {
    const { found, length } = counts[place] ?? { found: new Map<string, number>(), length: 0 };
    let score = 0;
    for (const [term, times] of found) {
      score += ((rarity.get(term) ?? 0) * times * (k1 + 1)) / (times + k1 * (1 - b + (b * length) / mean));
    }
    return { text, tokens: countTokens(text), score };
  });
}
