import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import { stem } from '../../../../kernel/kit/stem.ts';
import type { Token } from '../asked.ts';
import { type Cursor, findFirst, phrases } from '../cursor.ts';
import { isPeriod, type Quantity, takeQuantity, valueIn } from '../quantity.ts';
import { isWithin, type Range, takeComparison } from '../range.ts';
import { turnedBy, type Verdict, verdict } from '../verdict.ts';
import { daysBetween, isNow, type Moment, momentOf, monthsBetween, monthsLater, nowOf } from './clock.ts';
import type { Structure } from './lookup.ts';
import type { Node } from './nodes.ts';
import { certaintyOfSubject, keyText, named, onlyOne } from './subjects.ts';
import { fillers, wordsOfKey } from './words.ts';

/** Whether a moment lies where the words say, seen from now; null where that is not certain. */
type When = (moment: Moment, now: Moment) => boolean | null;

const days: ReadonlyMap<string, number> = new Map([
  ['today', 0],
  ['yesterday', -1],
  ['the day before', -1],
  ['tomorrow', 1],
]);
const dayNames = phrases([...days.keys()].join('|'));
const inLast = phrases(
  `in the last|in the past|within the last|within the past|during the last|during the past|over the last|over the past`,
);
const inNext = phrases('in the next|within the next|during the next|over the next');
const ago = phrases('ago|back');
const units = phrases('day|week|month|year|hour');

/** "is it expired" and "is the contract still valid" of a day until which something holds. */
const ending = {
  over: new Set('expired expire expires lapsed ended over outdated'.split(' ')),
  on: new Set('valid good running usable'.split(' ')),
  keys: /\b(?:expir\w*|valid (?:until|to|thru|through|till)|best before|use by|ends?|end date|valid_until)\b/,
};
/** What ends something before its day. */
const revoking = /revoked|cancel|suspended|blocked|renew|valid from|terminated|status|state|used/;

/** What is done, and keys for the moment at which it was. */
const doings = [
  ['written wrote posted published created', /\b(?:creat\w*|post\w*|publish\w*|writ\w*|timestamp)\b/],
  ['placed ordered bought purchased', /\b(?:order(?:ed)?|placed|purchas\w*|bought)\b/],
  [
    'log logged sign signed login seen online',
    /\blast (?:seen|login|log in|logged in|sign in|active|activity)\b/,
  ],
  ['sent submitted filed opened received', /\b(?:sent|submit\w*|filed|opened|received|creat\w*)\b/],
].map(([words, keys]) => ({ words: new Set(String(words).split(' ')), keys: keys as RegExp }));
/** "log in", and no "log out" */
const particles = new Set(['in', 'on']);

/** What is asked of a moment as it is seen from another that the state calls now: "was it written yesterday", "has it expired". */
export function readMoment(tokens: readonly Token[], { nodes }: Structure): Verdict | null {
  const relative = findFirst(tokens, takeWhen);
  const isOver = tokens.some(({ text }) => ending.over.has(text));
  const isEnding = isOver || tokens.some(({ text }) => ending.on.has(text));
  if (relative === null && !isEnding) return null;
  const now = nowOf(nodes);
  if (now === null) return null;
  if (relative === null) return ended(tokens, isOver, nodes, now);
  const found = eventOf(relative.rest, nodes);
  if (found === null) return null;
  const certainty = certaintyOfSubject(found.rest, found.node, tokens);
  const holds = relative.found(found.moment, now);
  return certainty === null || holds === null ? null : verdict(holds, certainty);
}

interface Event {
  readonly node: Node;
  readonly moment: Moment;
  /** Words that do not name it. */
  readonly rest: readonly Token[];
}

/** The one moment that the words name by its key, or by what was done then. */
function eventOf(words: readonly Token[], nodes: readonly Node[]): Event | null {
  const telling = words.filter(({ text }) => !fillers.has(text));
  const doing = doings.find((one) => telling.some(({ text }) => one.words.has(text)));
  const events = nodes.flatMap((node): Event[] => {
    if (typeof node.key !== 'string' || isNow(node)) return [];
    const moment = momentOf(node);
    if (moment === null) return [];
    const own = new Set(wordsOfKey(node.key).map(stem));
    const isNamed = [...own].every((word) => telling.some(({ text }) => stem(text) === word));
    if (!isNamed && doing?.keys.test(keyText(node.key)) !== true) return [];
    const explains = ({ text }: Token) =>
      isNamed ? own.has(stem(text)) : doing?.words.has(text) === true || particles.has(text);
    return [{ node, moment, rest: telling.filter((word) => !explains(word)) }];
  });
  return onlyOne(events);
}

/** Of more ends in a state none is looked for by its name. */
const endsMax = 8;

function ended(
  tokens: readonly Token[],
  isOver: boolean,
  nodes: readonly Node[],
  now: Moment,
): Verdict | null {
  const words = tokens.filter(({ text }) => !ending.over.has(text) && !ending.on.has(text));
  const all = nodes.filter(({ key }) => typeof key === 'string' && ending.keys.test(keyText(key)));
  if (all.length > endsMax) return null;
  // A visa and a passport: the one that is named.
  const node = onlyOne(
    all.length > 1 ? all.filter((one) => certaintyOfSubject(words, one, tokens) === named) : all,
  );
  const until = node && momentOf(node);
  if (node === null || until === null || isRevoked(node)) return null;
  const left = daysBetween(now, until);
  // On its last day something holds for some, and not for others.
  if (left === 0) return null;
  const certainty = certaintyOfSubject(words, node, tokens);
  return certainty === null ? null : turnedBy(verdict(left < 0, certainty), !isOver);
}

/** Whether something beside a moment may say more than it. */
function isRevoked({ parent }: Node): boolean {
  const beside = parent !== null && isJsonObject(parent.value) ? parent.value : {};
  return Object.entries(beside).some(([key, value]) => revoking.test(keyText(key)) && !isNone(value));
}

const isNone = (value: Json | undefined): boolean => value === null || value === false || value === '';

/** Reads "yesterday", "in the last 3 days", "more than a week ago"; null where nothing of that comes next. */
function takeWhen(cursor: Cursor): When | null {
  const start = cursor.at;
  const when = whenOf(cursor);
  if (when === null) cursor.backTo(start);
  return when;
}

function whenOf(cursor: Cursor): When | null {
  const offset = days.get(cursor.take(dayNames) ?? '');
  if (offset !== undefined) return (moment, now) => (moment.day - now.day) / 86_400_000 === offset;
  const isPast = cursor.take(inLast) !== null;
  if (isPast || cursor.take(inNext) !== null) {
    const span = takeSpan(cursor);
    return span === null ? null : within(span, isPast);
  }
  const compared = takeComparison(cursor);
  if (compared === null || !isSpan(compared.unit)) return null;
  return cursor.take(ago) === null ? null : (moment, now) => isSoLongAgo(compared, moment, now);
}

/** "7 days", "week" */
function takeSpan(cursor: Cursor): Quantity | null {
  const span = takeQuantity(cursor);
  if (span !== null) return isSpan(span.unit) ? span : null;
  const unit = cursor.take(units);
  return unit === null ? null : { value: 1, unit };
}

const isSpan = (unit: string | null): boolean => isPeriod(unit) && unit !== 'second' && unit !== 'minute';

function within({ value, unit }: Quantity, isPast: boolean): When {
  return (moment, now) => {
    const [from, to] = isPast ? [moment, now] : [now, moment];
    const passed = daysBetween(from, to);
    if (passed < 0) return false;
    if (unit === 'month' || unit === 'year')
      return to.day <= monthsLater(from, unit === 'year' ? value * 12 : value);
    const most = valueIn({ value, unit }, 'day');
    // A day alone is not known to the hour.
    if (most === null || (unit === 'hour' && (moment.at === null || now.at === null))) return null;
    return passed <= most;
  };
}

function isSoLongAgo(range: Range, moment: Moment, now: Moment): boolean | null {
  const passed = daysBetween(moment, now);
  if (passed < 0) return false;
  if (range.unit === 'month' || range.unit === 'year') {
    const months = monthsBetween(moment, now);
    // A day more than whole months is more than they are.
    const exact = monthsLater(moment, months) === now.day ? months : months + 0.5;
    return isWithin(range.unit === 'year' ? exact / 12 : exact, range);
  }
  if (range.unit === 'hour' && (moment.at === null || now.at === null)) return null;
  const value = valueIn({ value: passed, unit: 'day' }, range.unit);
  return value === null ? null : isWithin(value, range);
}
