import { lazily } from '../reading.ts';
import { plain } from './words.ts';

const regions = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
const currencies = new Intl.DisplayNames(['en'], { type: 'currency', fallback: 'none' });

const one = (name: string): string => plain(name).replace(/s$/, '');
const currencyNames = new Set(
  Intl.supportedValuesOf('currency').map((code) => one(currencies.of(code) ?? '')),
);

const letters = Array.from({ length: 26 }, (_, at) => String.fromCodePoint(65 + at));
/** Of every pair of letters that stands for a region. */
const regionNames = lazily(
  () =>
    new Set(
      letters.flatMap((first) => letters.flatMap((second) => regions.of(first + second) ?? [])).map(one),
    ),
);

/** What a code stands for, in words: "ES" is Spain and "EUR" euro; null for what is no code. */
export function nameOfCode(value: string): string | null {
  const names = /^[A-Z]{2}$/.test(value) ? regions : /^[A-Z]{3}$/.test(value) ? currencies : null;
  const name = names?.of(value);
  return name === undefined ? null : one(name);
}

/** Whether words name a code, or another one of its kind; null where that cannot be said. */
export function namesCode(asked: string, value: string): boolean | null {
  const own = nameOfCode(value);
  if (own === null) return null;
  if (own === one(asked)) return true;
  const others = value.length === 3 ? currencyNames : regionNames();
  return others.has(one(asked)) ? false : null;
}
