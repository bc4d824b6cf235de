import { toLexemes, type Lexeme } from '../../src/features/verification/lexemes.ts';
import { toPlain } from '../../src/features/verification/plain-text.ts';
import type { Statement } from './pages.ts';

export const alterationKinds = ['number', 'name', 'negation', 'page'] as const;
export type AlterationKind = (typeof alterationKinds)[number];

/** What makes a statement false by rule; null where the rule has nothing to change. `turn` chooses among what it could be. */
export const alterations: Readonly<
  Record<Exclude<AlterationKind, 'page'>, (statement: Statement, turn: number) => string | null>
> = {
  /** Every second time by a number that the page has elsewhere. */
  number({ text, passage }, turn) {
    const plain = toPlain(text);
    const numbers = toLexemes(plain).filter(({ kind }) => kind === 'number');
    const one = numbers[turn % Math.max(1, numbers.length)];
    if (one === undefined || !/^\d/.test(one.text)) return null;
    const others = literalsOf(passage.text, 'number').filter(
      ({ keys, text: other }) =>
        /^\d/.test(other) && !numbers.some((known) => known.keys.some((key) => keys.includes(key))),
    );
    const near = others[turn % Math.max(1, others.length)]?.text;
    const far = one.text.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 3) % 10));
    return replaced(plain, one, turn % 2 === 0 && near !== undefined ? near : far);
  },

  /** Two names of the sentence trade places, or one is replaced by another of the page. */
  name({ text, passage }, turn) {
    const plain = toPlain(text);
    const names = toLexemes(plain).filter(({ kind, text: name }) => kind === 'name' && name.length > 1);
    const [first, second] = names;
    if (first === undefined) return null;
    if (second !== undefined && first.keys[0] !== second.keys[0] && turn % 2 === 0) {
      const { text: a, start } = first;
      const { text: b, start: at } = second;
      return `${plain.slice(0, start)}${b}${plain.slice(start + a.length, at)}${a}${plain.slice(at + b.length)}`;
    }
    const known = new Set(names.flatMap(({ keys }) => keys));
    const others = literalsOf(passage.text, 'name').filter(
      ({ keys, text: name }) => name.length > 2 && !keys.some((key) => known.has(key)),
    );
    const other = others[turn % Math.max(1, others.length)];
    return other === undefined ? null : replaced(plain, first, other.text);
  },

  /** "Not" is put in, or taken out. */
  negation({ text }) {
    const plain = toPlain(text);
    for (const [pattern, by] of negations) if (pattern.test(plain)) return plain.replace(pattern, by);
    return null;
  },
};

const negations: readonly (readonly [RegExp, string])[] = [
  [/\b(is|are|was|were|can|could|will|would|should|must|may|do|does|did|has|have) not /, '$1 '],
  [/\b(is|are|was|were|could|would|should|must|do|does|did|has|have)n't /, '$1 '],
  [/\b(?:cannot|can't) /, 'can '],
  [/\bnever /, 'always '],
  [/\bwithout /, 'with '],
  [/\b(is|are|was|were|can|could|will|would|should|must|may|has been|have been) /, '$1 not '],
];

/** Each once. */
function literalsOf(text: string, kind: Lexeme['kind']): readonly Lexeme[] {
  const known = new Map<string, Lexeme>();
  for (const lexeme of toLexemes(toPlain(text)))
    if (lexeme.kind === kind && !known.has(lexeme.keys[0] ?? '')) known.set(lexeme.keys[0] ?? '', lexeme);
  return [...known.values()];
}

const replaced = (text: string, { start, text: old }: Lexeme, by: string): string =>
  text.slice(0, start) + by + text.slice(start + old.length);

/** The same said in other words, by rule; null where no rule has anything to change. */
export function reword(text: string): string | null {
  const plain = toPlain(text);
  let said = plain;
  for (const [pattern, by] of rewordings) said = said.replace(pattern, by);
  const clause = /^(If|When) ([^,]{8,80}), (\w)([^.]+)\.$/.exec(said);
  if (clause !== null) {
    const [, word = '', condition = '', initial = '', rest = ''] = clause;
    said = `${initial.toUpperCase()}${rest} ${word.toLowerCase()} ${condition}.`;
  }
  return said === plain ? null : said;
}

const rewordings: readonly (readonly [RegExp, string])[] = [
  [/ \([^()]{3,80}\)/, ''],
  [/^(?:Note that|Please note that|However,|Also,|Additionally,|By default,) (\w)/, '$1'],
  [/\b(is|are|was|were|does|do|did|has|have|should|would|could) not\b/, "$1n't"],
  [/\b(is|are|was|were|does|do|did|has|have|should|would|could)n't\b/, '$1 not'],
  [/\bcannot\b/, 'can not'],
  [/(?<=[a-z] )(?!(?:19|20)\d\d)(\d)(\d{3})(?= [a-z])/, '$1,$2'],
  [/\b(\d+) ?(?:ms|milliseconds)\b/, '$1 milliseconds'],
  [/\b(\d+) ?kb\b/i, '$1 kilobytes'],
  [/\btwo\b/, '2'],
  [/\bthree\b/, '3'],
  [/\bfunction\b/, 'method'],
  [/\breturns\b/, 'gives back'],
  [/\bcontains\b/, 'holds'],
  [/\bfor example\b/i, 'for instance'],
  [/\bin order to\b/i, 'to'],
  [/\bYou can\b/, 'One may'],
  [/\ballows you to\b/, 'lets you'],
  [/\bwill be\b/, 'is'],
];
