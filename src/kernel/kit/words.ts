import { normalize } from './text.ts';

/**
 * English-first tokenizer, matched to the vocabulary of `word-vectors.ts`. Linear in the text and safe on any string:
 * lone surrogates, control characters, megabytes without a space.
 */

// Numbers with separators, words with inner apostrophes, pictographs, single other marks. The classes are disjoint
// where they meet, which rules out backtracking.
const tokenPattern =
  /\p{N}+(?:[.,]\p{N}+)+|[\p{L}\p{M}\p{N}]+(?:['\u2019][\p{L}\p{M}]+)*|\p{Extended_Pictographic}|[^\s\p{L}\p{M}\p{N}]/gu;

// Scripts without spaces: each character is a word.
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

const irregular: ReadonlyMap<string, readonly string[]> = new Map([
  ["can't", ['can', 'not']],
  ["won't", ['will', 'not']],
  ["shan't", ['shall', 'not']],
  ["ain't", ['is', 'not']],
  ["let's", ['let', 'us']],
  ['cannot', ['can', 'not']],
  ['cant', ['can', 'not']],
  ['wont', ['will', 'not']],
  ['dont', ['do', 'not']],
  ['doesnt', ['does', 'not']],
  ['didnt', ['did', 'not']],
  ['isnt', ['is', 'not']],
  ['wasnt', ['was', 'not']],
  ['arent', ['are', 'not']],
  ['havent', ['have', 'not']],
  ['hasnt', ['has', 'not']],
  ['couldnt', ['could', 'not']],
  ['wouldnt', ['would', 'not']],
  ['shouldnt', ['should', 'not']],
]);

const endings: ReadonlyMap<string, string> = new Map([
  ['m', 'am'],
  ['re', 'are'],
  ['ve', 'have'],
  ['ll', 'will'],
  ['d', 'would'],
]);

/**
 * Splits a text into lower-case words, numbers and marks. Contractions are written out ("don't" is `do`, `not`),
 * possessive `'s` and accents dropped, hyphens and underscores separate words.
 */
export function tokenize(text: string): string[] {
  const tokens: string[] = [];
  for (const raw of text.match(tokenPattern) ?? []) pushToken(tokens, raw);
  return tokens;
}

function pushToken(tokens: string[], raw: string): void {
  let word = raw.toLowerCase();
  if (!isAscii(word)) {
    if (unspaced.test(word)) {
      tokens.push(...(word.slice(0, 10_000).match(/./gsu) ?? []));
      return;
    }
    word = normalize(word.replaceAll('\u2019', "'"), 'NFD').replace(/(?!^)\p{M}/gu, '');
  }
  const whole = irregular.get(word);
  if (whole !== undefined) tokens.push(...whole);
  else if (word.length > 1 && word.includes("'")) pushContraction(tokens, word);
  else tokens.push(word);
}

function pushContraction(tokens: string[], word: string): void {
  if (word.endsWith("n't") && word.length > 3) {
    tokens.push(word.slice(0, -3), 'not');
    return;
  }
  const [stem = '', ...rest] = word.split("'");
  tokens.push(stem);
  for (const part of rest) if (part !== 's') tokens.push(endings.get(part) ?? part);
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

/**
 * Splits an identifier: `cardNotWorking`, `card_not_working`, `HTTPError` and `card-not-working` become words with
 * spaces.
 */
export function splitName(name: string): string {
  return name
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/[_\-./\\\s]+/gu, ' ')
    .trim();
}

/** Letters and digits per token; longer runs count once per started piece. */
const tokenCharsMax = 16;

/** Running count, so that a long text can be counted in slices. */
export interface TokenCount {
  tokens: number;
  /** UTF-16 units of the word that the last slice ended in; 0 outside a word. */
  run: number;
}

/** Counts tokens. Never falls when text is appended; about 2 ns per UTF-16 unit. */
export function countTokens(text: string): number {
  const count: TokenCount = { tokens: 0, run: 0 };
  countInto(count, text, 0, text.length);
  return count.tokens;
}

/**
 * Adds the tokens of units `from` to `to`; slices in order give the same as the whole. A token is a run of at most 16
 * letters and digits, or one other visible character; ideographs and kana count one each.
 */
export function countInto(count: TokenCount, text: string, from: number, to: number): void {
  let { tokens, run } = count;
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    const kind = code < 128 ? (asciiKinds[code] ?? 0) : kindOf(code);
    if (kind === wordKind) {
      if (run % tokenCharsMax === 0) tokens++;
      run++;
    } else if (kind === markKind) {
      tokens++;
      run = 0;
    } else if (kind === spaceKind) {
      run = 0;
    }
  }
  count.tokens = tokens;
  count.run = run;
}

const spaceKind = 0;
const wordKind = 1;
const markKind = 2;
// Second half of a surrogate pair; the first was counted.
const silentKind = 3;

const asciiKinds: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code <= 32 || code === 127) return spaceKind;
  return /[a-z0-9]/i.test(String.fromCharCode(code)) ? wordKind : markKind;
});

/** Approximate kind from 128 on: exact classes would cost a regular expression per character. */
function kindOf(code: number): number {
  if (code === 0xa0 || (code >= 0x2000 && code <= 0x200b) || code === 0x2028 || code === 0x2029)
    return spaceKind;
  if (code === 0x3000 || code === 0xfeff || (code >= 0x80 && code <= 0x9f)) return spaceKind;
  if (code >= 0xdc00 && code <= 0xdfff) return silentKind;
  if (code < 0xc0 || (code >= 0x2010 && code < 0x2c00)) return markKind;
  if (code >= 0x2e80 && code < 0xac00) return markKind;
  return code >= 0xd800 && (code < 0xf900 || code >= 0xff00) ? markKind : wordKind;
}
