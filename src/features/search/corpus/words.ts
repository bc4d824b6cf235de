import { normalize } from '../../../kernel/kit/text.ts';

/** Scripts written without spaces: their words are found as pairs of signs. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;

/** A word longer than this is no word: keys, base64, minified code. Unit: UTF-16 units. */
const wordUnitsMax = 64;

const word = /[\p{L}\p{N}\p{M}]+/gu;

/**
 * The words of a text as the index keeps them and as a query asks for them: lower case, without accents, parted by
 * spaces, and each run of a script without spaces as its overlapping pairs. Letters, digits and spaces only, so that
 * no query language of a store finds a sign of its own in it. Stemming is the store's.
 */
export function toIndexWords(text: string): string {
  return wordsOf(text).join(' ');
}

export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const raw of plain(text).match(word) ?? []) {
    // \u0e00 is where the first of these scripts begins; most texts have none of them.
    if (raw < '\u0e00' || raw.search(unspaced) < 0) pushWord(words, raw);
    else pushUnspaced(words, raw);
  }
  return words;
}

/** Everything of 7 bits needs neither. */
function plain(text: string): string {
  const lower = text.toLowerCase();
  // oxlint-disable-next-line no-control-regex -- the range of ASCII
  return /^[\u0000-\u007f]*$/.test(lower)
    ? lower
    : normalize(lower, 'NFKD')
        .replaceAll(/(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, '')
        .normalize('NFC');
}

function pushWord(words: string[], raw: string): void {
  if (raw.length <= wordUnitsMax) words.push(raw);
}

function pushUnspaced(words: string[], raw: string): void {
  let at = 0;
  for (const match of raw.matchAll(unspaced)) {
    if (match.index > at) pushWord(words, raw.slice(at, match.index));
    pushPairs(words, match[0]);
    at = match.index + match[0].length;
  }
  if (at < raw.length) pushWord(words, raw.slice(at));
}

function pushPairs(words: string[], run: string): void {
  const signs = run[Symbol.iterator]();
  let previous = signs.next().value ?? '';
  if (previous.length === run.length) words.push(run);
  for (const sign of signs) {
    words.push(previous + sign);
    previous = sign;
  }
}

/** What a query asks for. Every word of every item is letters and digits only. */
export interface WordQuery {
  /** Free words, each once. */
  readonly words: readonly string[];
  /** Words that must stand in a row. */
  readonly phrases: readonly (readonly string[])[];
  /** Words that were written as one, such as `search_domain_filter`: they count more in a row. */
  readonly compounds: readonly (readonly string[])[];
}

// Begun at the beginning of a word only: from each of its letters it would read to its end again.
const compound = /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[_\-./:][\p{L}\p{N}]+)+/gu;

/** Queries are 8,192 characters at most; beyond so many words nothing gets better. */
const wordsMax = 32;

/** Understands any text: what is not a word is left out, an open quotation ends with the query, a mark of inches opens none. */
export function parseWordQuery(text: string): WordQuery {
  const phrases: string[][] = [];
  const rest = text
    .slice(0, 8_192)
    .replaceAll(/(?<!\p{N})["“”„](?<inner>[^"“”„]*)(?:["“”„]|$)/gu, (_, inner: string) => {
      const words = wordsOf(inner).slice(0, wordsMax);
      if (words.length > 0 && phrases.length < 8) phrases.push(words);
      return ' ';
    });
  const free = wordsOf(rest);
  const kept = free.filter((one) => !stopWords.has(one));
  const compounds = [...rest.matchAll(compound)]
    .map(([one]) => wordsOf(one))
    .filter((words) => words.length > 1 && words.length <= 8)
    .slice(0, 8);
  return {
    words: [...new Set(kept.length > 0 || phrases.length > 0 ? kept : free)].slice(0, wordsMax),
    phrases,
    compounds,
  };
}

/** Words of questions that say nothing of their subject. A query of nothing else keeps them. */
const stopWords: ReadonlySet<string> = new Set(
  (
    'a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my of ' +
    'on or our shall should so than that the their them then there these they this those to up was we were what when ' +
    'where which while who whom whose why will with would you your s t m re ve ll d am about'
  ).split(' '),
);
