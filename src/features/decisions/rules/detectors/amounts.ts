import { anyOf, byForm } from './detector.ts';

/** Codes of ISO 4217 that are no words, nor names of anything else that numbers stand beside. */
const codes =
  'usd|eur|gbp|chf|jpy|cad|aud|nzd|inr|cny|rmb|krw|hkd|sgd|twd|thb|idr|myr|vnd|pln|czk|huf|sek|nok|dkk|rub|uah|ils|aed|sar|brl|mxn|clp|zar';
const names =
  '(?:(?:u\\.?s\\.?|american|australian|canadian|hong kong|new zealand|singapore) )?dollars?|euros?|(?:british )?pounds? sterling|(?:swiss )?francs?|yen|yuan|rupees?|rubles?|z[lł]oty(?:ch)?|zł|kč|kr|kroner|kronor|reais|pesos?|shekels?|dirhams?|cents?|bucks|quid';
/** A space that does not break the line is a space here. */
const blank = '[ \\u00a0\\u202f]?';

const before = byForm(
  new RegExp(`(?:\\p{Sc}|(?<![\\p{L}\\p{N}])(?:${codes}|kr))${blank}\\d[\\d.,]{0,20}`, 'giu'),
  0.99,
);
const after = byForm(
  new RegExp(
    `(?<![\\p{L}\\p{N}])\\d[\\d.,]{0,20}[kKmM]?${blank}(?:\\p{Sc}|(?:${codes}|${names})(?![\\p{L}\\p{N}]))`,
    'giu',
  ),
  0.98,
);
/** Words stand against numbers here. */
const unspaced = byForm(/(?<!\p{N})\d[\d.,]{0,20}[万億亿]?(?:[元円块]|원)/gu, 0.98);
/** Also a weight in Britain and America. */
const pounds = byForm(/(?<![\p{L}\p{N}])\d[\d.,]{0,20} pounds(?![\p{L}\p{N}])/giu, 0.6);
const spelled = byForm(
  /(?<![\p{L}\p{N}])(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million) (?:dollars?|euros?|cents?|bucks|quid)(?![\p{L}\p{N}])/giu,
  0.97,
);

/** Amounts of money with their currency. */
export const amounts = anyOf(before, after, unspaced, pounds, spelled);
