import type { Token } from '../asked.ts';
import { toSpan } from '../day.ts';
import { type Verdict, verdict } from '../verdict.ts';
import type { Found, Structure } from './lookup.ts';
import { areOpposites } from './scales.ts';
import { fillers, wordsOfKey } from './words.ts';

const sure = 0.95;
/** A word of the question names somebody or something that the state does not. */
const beside = 0.85;

/** "A weight limit" is another one than a limit. */
const articles = new Set('the this that our my your their his her its'.split(' '));
const doing = new Set('is are was were has have had did does been'.split(' '));

/** "Created this week" and "the whole budget" say more than whom is asked about. */
const noSubjects = new Set(
  'week month year day time morning evening quarter whole entire rest most past last next first'.split(' '),
);

/** Whether all that is left of a question is whom it asks about: "the tenant". */
export function isSubject(rest: readonly Token[], tokens: readonly Token[]): boolean {
  const [only, ...more] = rest;
  if (only?.kind !== 'word' || more.length > 0 || noSubjects.has(only.text)) return false;
  return articles.has(tokens[tokens.indexOf(only) - 1]?.text ?? '');
}

/** `cancelled_at`, `shippedOn`: when something was done, if it was. */
const ofMoment = /(?:[_-](?:at|on|date|time)|(?<=[a-z])(?:At|On|Date|Time))$/;

/** "Was the booking cancelled?" of the time at which it was, or of none. */
export function readEvent(
  { value, keys: [key = ''] }: Found,
  rest: readonly Token[],
  tokens: readonly Token[],
): Verdict | null {
  const [event = '', ...others] = wordsOfKey(key);
  if (!ofMoment.test(key) || others.length > 0 || !/(?:ed|en|nt|ld|id)$/.test(event)) return null;
  if (!doing.has(tokens[0]?.text ?? '') && !tokens.some(({ text }) => text === 'been')) return null;
  if (rest.length > 0 && !isSubject(rest, tokens)) return null;
  const hasHappened = typeof value === 'string' && toSpan(value) !== null;
  if (!hasHappened && value !== null && value !== '') return null;
  return verdict(hasHappened, rest.length === 0 ? sure : beside);
}

/** "Is the rule disabled?" of a flag `enabled`. */
export function readOpposite(tokens: readonly Token[], { nodes }: Structure): Verdict | null {
  const words = tokens.filter(({ text }) => !fillers.has(text));
  const found = nodes.flatMap(({ value, key, parent }) => {
    if (typeof value !== 'boolean' || typeof key !== 'string') return [];
    const [name = '', ...more] = wordsOfKey(key);
    const opposite = more.length > 0 ? undefined : words.find(({ text }) => areOpposites(name, text));
    return opposite === undefined ? [] : [{ value, opposite, of: parent?.key }];
  });
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) return null;
  const rest = words.filter((word) => word !== only.opposite);
  const isNamed = rest.every(({ text }) => typeof only.of === 'string' && wordsOfKey(only.of).includes(text));
  if (!isNamed && !isSubject(rest, tokens)) return null;
  return verdict(!only.value, isNamed ? sure : beside);
}
