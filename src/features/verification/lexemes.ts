import { stem } from '../../kernel/kit/stem.ts';
import { datesIn, isSaidBy } from './dates.ts';
import { measureOf, numeralOf, scaleOf } from './units-of-measure.ts';

/** A word, a name, a number or a date of a text, in a form in which different spellings are the same. */
export interface Lexeme {
  readonly kind: 'word' | 'name' | 'number' | 'date' | 'denial';
  /** As it is compared: one of these has to be met. */
  readonly keys: readonly string[];
  /** Of a number with a unit: its values without, for texts that name none. */
  readonly bare?: readonly string[];
  readonly text: string;
  readonly start: number;
}

/** Whether it has to be met as it is; for other words there are some that mean the same. */
export const isLiteral = ({ kind }: Lexeme): boolean =>
  kind === 'number' || kind === 'date' || kind === 'name';

/** Under what a text that has it is known; the values of measured numbers stand apart from those of bare ones. */
export const keysOf = ({ keys, bare = [] }: Lexeme): readonly string[] => [
  ...keys,
  ...bare.map((value) => `~${value}`),
];

/** Whether a text with these keys has it. A date is met by one that says more, a number with a unit by one without, and the other way around. */
export function isMet({ kind, keys: own, bare = [] }: Lexeme, keys: ReadonlySet<string>): boolean {
  if (own.some((key) => keys.has(key)) || bare.some((value) => keys.has(value))) return true;
  if (kind === 'date') return own.some((key) => keys.values().some((other) => isSaidBy(key, other)));
  return kind === 'number' && bare.length === 0 && own.some((value) => keys.has(`~${value}`));
}

/**
 * Numbers with separators, with what stands right behind or before them; words, with what joins identifiers; marks of
 * money. The parts differ in their first sign, which rules out going back.
 */
const pattern =
  /[$€£]|\p{N}+(?:[.,'’_\u00a0]\p{N}+)*%?|[@#]?[\p{L}_][\p{L}\p{M}\p{N}_]*(?:['’./:@-][\p{L}\p{N}_]+)*/gu;

const denials = new Set(
  `not no never none nothing neither nor without cannot nobody nowhere unable fails fail lacks lack nicht kein keine keinen keiner
  nie niemals ohne pas jamais sans nunca sin`.split(/\s+/),
);

const joining = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but by can
  could did do does doing during each either else ever every few for from further had has have having he her here hers
  him his how i if in into is it its just let may me might more most must my of off on once only or other our out over
  own per please same shall she should since so some such than that the their theirs them then there these they this
  those through to too toward under until up upon us very via was we well were what when where whether which while who
  whom whose why will with within would yet you your yours according note however therefore thus`.split(
    /\s+/,
  ),
);

export const isJoining = (key: string): boolean => joining.has(key);

const separators = /^\d{1,3}(?:[,'’_\u00a0]\d{3})+(?:\.\d+)?$/;
const european = /^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/;

/** The values that a number as it is written may have: `1.000` is one, or a thousand. */
function valuesOf(written: string): readonly string[] {
  const plain = written.replace(/%$/, '');
  const values = new Set<string>();
  if (separators.test(plain)) values.add(toKey(Number(plain.replaceAll(/[^\d.]/g, ''))));
  else if (/^\d+,\d+$/.test(plain)) values.add(toKey(Number(plain.replace(',', '.'))));
  else if (/^\d+(?:\.\d+)?$/.test(plain) && plain.length < 16) values.add(toKey(Number(plain)));
  else values.add(plain);
  if (european.test(plain)) values.add(toKey(Number(plain.replaceAll('.', '').replace(',', '.'))));
  return [...values];
}

const toKey = (value: number): string => String(Number(value.toPrecision(12)));

/** The words, numbers and dates of a text without markup, in order. */
export function toLexemes(text: string): readonly Lexeme[] {
  const dates = datesIn(text);
  const lexemes: Lexeme[] = dates.map(({ keys, text: written, start }) => ({
    kind: 'date',
    keys,
    text: written,
    start,
  }));
  const found = [...text.matchAll(pattern)].map((match) => ({ text: match[0], start: match.index }));
  let date = 0;
  for (let at = 0; at < found.length; at++) {
    const one = found[at];
    if (one === undefined) continue;
    while ((dates[date]?.end ?? Infinity) <= one.start) date++;
    if (one.start >= (dates[date]?.start ?? Infinity)) continue;
    const { read, taken } = readOne(one, found[at - 1], found[at + 1], found[at + 2], text);
    lexemes.push(...read);
    at += taken;
  }
  return dates.length === 0 ? lexemes : lexemes.toSorted((a, b) => a.start - b.start);
}

interface Found {
  readonly text: string;
  readonly start: number;
}

/** `taken`: how many of those behind it belong to it. */
function readOne(
  { text, start }: Found,
  before: Found | undefined,
  next: Found | undefined,
  afterNext: Found | undefined,
  whole: string,
): { readonly read: readonly Lexeme[]; readonly taken: number } {
  const numeral = numeralOf(text);
  const isNumber = /^\p{N}/u.test(text) || (numeral !== undefined && scaleOf(next?.text ?? '') !== undefined);
  if (!isNumber) return { read: toWords(text, start, whole), taken: 0 };
  const scale = isNear(text, start, next) ? scaleOf(next?.text ?? '') : undefined;
  const unitWord = scale === undefined ? next : afterNext;
  const own = text.endsWith('%') ? '%' : money(before, start, whole);
  const measured = own ?? (isNear(text, start, next) ? unitWord?.text : undefined);
  const measure = measured === undefined ? undefined : measureOf(measured);
  const values = numeral === undefined ? valuesOf(text) : [String(numeral)];
  const scaled = values.map((value) => (scale === undefined ? value : toKey(Number(value) * scale)));
  const isMeasured = measure !== undefined && scaled.every((value) => !Number.isNaN(Number(value)));
  const keys = isMeasured
    ? scaled.map((value) => `${toKey(Number(value) * measure.factor)} ${measure.base}`)
    : scaled;
  return {
    read: [{ kind: 'number', keys, ...(isMeasured && { bare: scaled }), text, start }],
    taken: (scale === undefined ? 0 : 1) + (measure === undefined || own !== undefined ? 0 : 1),
  };
}

const money = (before: Found | undefined, start: number, whole: string): string | undefined =>
  before !== undefined && /^[$€£]$/.test(before.text) && whole.slice(before.start + 1, start).trim() === ''
    ? before.text
    : undefined;

const isNear = (text: string, start: number, next: Found | undefined): boolean =>
  next !== undefined && next.start - (start + text.length) <= 1;

/** What denies within a word stands behind it: "isn't" is "is" and "not". */
function toWords(text: string, start: number, whole: string): readonly Lexeme[] {
  const denied = /^(\p{L}+)(?:n['’]t|not)$/iu.exec(text)?.[1];
  const verb = denied?.toLowerCase() === 'ca' ? 'can' : denied;
  if (verb === undefined || !isJoining(verb.toLowerCase())) return [toWord(text, start, whole)];
  return [toWord(verb, start, whole), { kind: 'denial', keys: ['not'], text, start: start + verb.length }];
}

function toWord(text: string, start: number, whole: string): Lexeme {
  const plain = text.replaceAll('’', "'").replace(/'s$/, '');
  const lower = plain.toLowerCase();
  if (denials.has(lower)) return { kind: 'denial', keys: ['not'], text, start };
  const numeral = numeralOf(lower);
  if (numeral !== undefined) return { kind: 'number', keys: [String(numeral)], text, start };
  const isInside = start > 0 && !/[.!?:]\s+$|^\W*$/.test(whole.slice(Math.max(0, start - 12), start));
  const isIdentifier = /.[._/:@]|\p{Ll}\p{Lu}|\p{N}|^[@#_]/u.test(plain);
  const isName = isIdentifier || (/^\p{Lu}/u.test(plain) && (isInside || /^\p{Lu}{2,}/u.test(plain)));
  if (isName && !joining.has(lower))
    return { kind: 'name', keys: [isIdentifier ? lower : stem(lower)], text, start };
  return { kind: 'word', keys: [stem(lower)], text, start };
}
