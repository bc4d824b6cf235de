/** Frequent words that few other languages share. */
const words: Readonly<Record<string, readonly string[]>> = {
  en: [
    'the',
    'and',
    'of',
    'to',
    'is',
    'that',
    'with',
    'for',
    'was',
    'are',
    'this',
    'have',
    'not',
    'you',
    'from',
  ],
  de: [
    'der',
    'die',
    'und',
    'das',
    'ist',
    'nicht',
    'ein',
    'eine',
    'mit',
    'den',
    'von',
    'sich',
    'auf',
    'für',
    'werden',
  ],
  fr: [
    'le',
    'les',
    'des',
    'et',
    'est',
    'une',
    'dans',
    'que',
    'pour',
    'pas',
    'sur',
    'avec',
    'qui',
    'au',
    'du',
  ],
  es: ['el', 'los', 'las', 'y', 'es', 'una', 'que', 'por', 'con', 'para', 'del', 'como', 'pero', 'su', 'se'],
  it: [
    'il',
    'gli',
    'della',
    'che',
    'è',
    'una',
    'per',
    'con',
    'non',
    'sono',
    'del',
    'nel',
    'alla',
    'anche',
    'di',
  ],
  pt: ['o', 'os', 'uma', 'que', 'não', 'com', 'para', 'dos', 'das', 'em', 'foi', 'mais', 'ao', 'como', 'são'],
  nl: [
    'de',
    'het',
    'een',
    'en',
    'van',
    'dat',
    'niet',
    'met',
    'voor',
    'zijn',
    'op',
    'aan',
    'ook',
    'werd',
    'deze',
  ],
  sv: [
    'och',
    'att',
    'det',
    'som',
    'är',
    'på',
    'för',
    'med',
    'inte',
    'av',
    'ett',
    'den',
    'har',
    'till',
    'jag',
  ],
  da: ['og', 'at', 'det', 'som', 'er', 'på', 'til', 'med', 'ikke', 'af', 'et', 'den', 'har', 'jeg', 'blev'],
  pl: ['i', 'w', 'się', 'na', 'nie', 'jest', 'do', 'że', 'z', 'jak', 'przez', 'od', 'oraz', 'są', 'dla'],
  tr: [
    've',
    'bir',
    'bu',
    'için',
    'ile',
    'de',
    'da',
    'olarak',
    'çok',
    'daha',
    'gibi',
    'olan',
    'ne',
    'kadar',
    'sonra',
  ],
};

const scripts: readonly (readonly [string, RegExp])[] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['zh', /\p{Script=Han}/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['th', /\p{Script=Thai}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
];

const sampleLength = 20_000;

/** ISO 639-1 of a declared tag such as `de-AT` or `pt_BR`; null for what is none. */
export function toLanguage(tag: string | null | undefined): string | null {
  const found = /^\s*(?<language>[a-z]{2})(?:[-_,\s]|$)/i.exec(tag ?? '');
  return found?.groups?.['language']?.toLowerCase() ?? null;
}

/** Language of a text that declares none, by its script, else by its frequent words; null when neither is clear. */
export function detectLanguage(text: string): string | null {
  const sample = text.slice(0, sampleLength);
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  if (letters < 20) return null;
  for (const [language, script] of scripts) {
    // A tenth of kana makes Han Japanese; the other scripts hold most letters of their languages.
    const share = (sample.match(script)?.length ?? 0) / letters;
    if (share > (language === 'ja' ? 0.1 : 0.4)) return language === 'ru' ? cyrillic(sample) : language;
  }
  const tokens = sample.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  const scores = Object.entries(words)
    .map(
      ([language, list]) => [language, list.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0)] as const,
    )
    .toSorted(([, a], [, b]) => b - a);
  const [[best, most] = ['', 0], [, second] = ['', 0]] = scores;
  return most >= Math.max(3, tokens.length * 0.05) && most > second * 1.3 ? best : null;
}

function cyrillic(sample: string): string | null {
  if (/[їєґ]/iu.test(sample)) return 'uk';
  return /[ыэъ]/iu.test(sample) ? 'ru' : null;
}
