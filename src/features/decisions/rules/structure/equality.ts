import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import type { Token } from '../asked.ts';
import { valueIn } from '../quantity.ts';
import { quantityAt } from './amounts.ts';
import { toQuantity } from './quantities.ts';
import { type Verdict, verdict } from '../verdict.ts';
import type { Found, Structure } from './lookup.ts';
import { isScalar, type Node, type Scalar } from './nodes.ts';
import { flagAmong, flagOf } from './permits.ts';
import { namesCode } from './codes.ts';
import { isSubject, readEvent, readOpposite } from './flags.ts';
import { excludes, isOfScale, isSame, mayInclude } from './scales.ts';
import { plain } from './words.ts';

const sure = 0.99;
/** Other items have the value that this one has not. */
const otherItems = 0.98;
/** Both are words of one scale. */
const otherWord = 0.95;
/** A longer text is no name of a state, and may say the same in other words. */
const valueCharsMax = 40;

/** A flag was asked for with a word more than its name has. */
const flagBeside = 0.85;
/** Whether there is something at a place. */
const presence = 0.93;

const affirmed = new Set(['true', 'yes', 'on', 'enabled']);
const denied = new Set(['false', 'no', 'off', 'disabled']);
/** What is done with something that is there. */
const using = new Set(
  'used applied given set present available provided entered specified assigned redeemed attached left'.split(
    ' ',
  ),
);
const some = new Set(['any', 'some']);
const having = new Set([
  'there',
  'have',
  'has',
  'in',
  'left',
  'available',
  'include',
  'includes',
  'contain',
  'contains',
]);
/** "does Bo get the newsletter" of a flag of that name. */
const getting = new Set(['get', 'gets', 'receive', 'receives', 'want', 'wants']);
/** What should be, or is asked for, is no matter of what is. */
const wishing = new Set(
  'should ask asks asked asking request requests requested why how when wish wishes prefer plan plans try tries tried going'.split(
    ' ',
  ),
);
const containing = new Set('contain contains include includes there have has'.split(' '));
/** What is done where a list says so: "is it available in the eu". */
const serving = new Set(
  'run runs running available deployed located supported support supports active work works one part among any'.split(
    ' ',
  ),
);
/** "is the customer from Spain" */
const fromPlaces = new Set('from based located living lives live'.split(' '));
/** Keys of codes of countries and currencies: "IT" may also be a department. */
const coding = /country|nation|region|market|origin|location|residence|currency/i;
const equals = new Set(['equal', 'equals', '=', 'exactly', 'set', 'to', 'value', 'says', 'say']);

/** "is the plan enterprise", "is the third item shipped", "is the account verified". */
export function readEquality(tokens: readonly Token[], structure: Structure): Verdict | null {
  const [found, ...more] = structure.find(tokens.filter(({ text }) => !some.has(text)));
  if (found === undefined) return readOpposite(tokens, structure);
  if (more.length > 0) return null;
  const isDirect = found.isExplicit || found.rest.some(({ text }) => equals.has(text));
  const rest = found.rest.filter(({ text }) => !equals.has(text));
  const { value } = found;
  if (isJsonObject(value))
    return (
      isContained(found, rest, tokens) ??
      holdsAmong(found, rest) ??
      flagAmong(value, rest) ??
      readOpposite(tokens, structure)
    );
  const happened = readEvent(found, rest, tokens);
  if (happened !== null) return happened;
  const isThere = thereIs(value, rest, tokens);
  if (isThere !== null) return verdict(isThere, presence);
  // "Has the tenant missed any payments" of a figure that stands beside no tenant.
  const ofSubject = isSubject(rest, tokens) && typeof value !== 'string' ? thereIs(value, [], tokens) : null;
  if (ofSubject !== null) return verdict(ofSubject, flagBeside);
  if (!isScalar(value)) return isListed(value, rest);
  const flag = flagOf({ value, key: found.keys[0] ?? null });
  if (flag !== null && rest.every(({ text }) => having.has(text) || getting.has(text)))
    return verdict(flag, rest.length === 0 ? sure : otherWord);
  if (rest.length === 0) {
    // "is the name of the third item lamp" names the lamp already.
    return typeof value === 'string' && value !== '' && says(tokens, value) ? verdict(true, sure) : null;
  }
  return compare(value, rest, tokens, isDirect, structure, found);
}

function compare(
  value: Scalar,
  rest: readonly Token[],
  tokens: readonly Token[],
  isDirect: boolean,
  structure: Structure,
  found: Found,
): Verdict | null {
  const { parent } = found;
  const asked = textOf(rest);
  if (typeof value === 'boolean') {
    if (affirmed.has(asked)) return verdict(value, sure);
    if (denied.has(asked)) return verdict(!value, sure);
    // "Is lib-bar allowed" asks for the one that is named, and "granted" for another value than "requested".
    const isOther = (asked.endsWith('ed') && isOfScale(asked)) || isValueOf(parent, asked);
    const isWished = tokens.some(({ text }) => wishing.has(text));
    return rest.length === 1 && rest[0]?.kind === 'word' && !isOther && !isWished
      ? verdict(value, flagBeside)
      : null;
  }
  const number = toQuantity(rest);
  const quantity = quantityAt(found);
  if (quantity !== null && (asked === 'negative' || asked === 'positive'))
    return verdict(asked === 'negative' ? quantity.value < 0 : quantity.value > 0, sure);
  // Digits in a text may be a code ("007") or a version ("2.10").
  const isCode = typeof value === 'string' && /^[\d.,\s]+$/.test(value) && (number?.value ?? 0) >= 0;
  if (number !== null && quantity !== null && !isCode) {
    const own = valueIn(quantity, number.unit);
    return own === null ? null : verdict(own === number.value, sure);
  }
  if (value === null || typeof value === 'number') return null;
  const own = plain(value);
  if (isSame(own, asked)) return verdict(true, sure);
  if (own === '' || own.length > valueCharsMax || mayInclude(own, asked)) return null;
  if (isDirect || rest.every(({ kind }) => kind === 'quoted')) return verdict(false, sure);
  if (isKnownBeside(asked, structure, parent)) return verdict(false, otherItems);
  return excludes(own, asked) ? verdict(false, otherWord) : null;
}

/** "does the order contain a mouse", where one of its items is called so. That there is none, other words may hide. */
function isContained(
  { parent, keys }: Found,
  rest: readonly Token[],
  tokens: readonly Token[],
): Verdict | null {
  const isItem = Array.isArray(parent?.value) && rest.length === 0 && keys.length > 0;
  return isItem && tokens.some(({ text }) => containing.has(text)) ? verdict(true, presence) : null;
}

/** "does it run in the region us", of a list of texts. What is not in it may be there under another name, unless it is quoted. */
function isListed(list: readonly Json[], rest: readonly Token[]): Verdict | null {
  const telling = rest.filter(({ text }) => !serving.has(text));
  const asked = textOf(telling);
  if (asked === '' || !list.every((item) => typeof item === 'string')) return null;
  if (list.some((item) => plain(item) === asked)) return verdict(true, otherItems);
  return telling.every(({ kind }) => kind === 'quoted') ? verdict(false, otherItems) : null;
}

/** Whether a value says that there is something: "was a coupon used", "is the lamp in stock"; null where that is not asked. */
function thereIs(
  value: Scalar | readonly Json[],
  rest: readonly Token[],
  tokens: readonly Token[],
): boolean | null {
  const isAsked =
    rest.length === 0
      ? tokens.some(({ text }) => having.has(text))
      : rest.every(({ text }) => using.has(text));
  if (!isAsked || typeof value === 'boolean') return null;
  if (typeof value === 'number') return value > 0;
  if (Array.isArray(value)) return value.length > 0;
  return value === null || value === '' ? false : rest.length === 0 ? null : true;
}

/** Whether an item has a value, where the question does not name the key: "is the third item shipped". */
function holdsAmong({ value, parent }: Found, rest: readonly Token[]): Verdict | null {
  if (rest.length === 0 || !isJsonObject(value)) return null;
  const asked = textOf(rest);
  const own = namesIn(value);
  const names = [...own.values()];
  if (names.some((name) => isSame(name, asked))) return verdict(true, sure);
  if (names.some((name) => mayInclude(name, asked))) return null;
  const place = textOf(rest.filter(({ text }) => !fromPlaces.has(text)));
  const coded = Object.entries(value)
    .map(([key, code]) => (typeof code === 'string' && coding.test(key) ? namesCode(place, code) : null))
    .find((one) => one !== null);
  if (coded !== undefined) return verdict(coded, otherItems);
  const list = parent?.value ?? null;
  const siblings: readonly unknown[] = typeof list === 'object' && list !== null ? Object.values(list) : [];
  const isKnown = siblings.some(
    (sibling) =>
      isJsonObject(sibling) && [...namesIn(sibling)].some(([key, name]) => own.has(key) && name === asked),
  );
  if (isKnown) return verdict(false, otherItems);
  return names.some((name) => excludes(name, asked)) ? verdict(false, otherWord) : null;
}

/** Short texts of an object by their keys. */
function namesIn(value: JsonObject): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === 'string' && item.length <= valueCharsMax) names.set(key, plain(item));
  }
  return names;
}

function isValueOf(parent: Node | null, asked: string): boolean {
  return isJsonObject(parent?.value ?? null)
    ? Object.values(parent?.value as JsonObject).some(
        (value) => typeof value === 'string' && plain(value) === asked,
      )
    : false;
}

/** Whether the same key has the value in another item. */
function isKnownBeside(asked: string, { nodes }: Structure, parent: Node | null): boolean {
  const list = parent?.parent ?? null;
  if (list === null) return false;
  return nodes.some(
    (node) => node.parent?.parent === list && typeof node.value === 'string' && plain(node.value) === asked,
  );
}

function says(tokens: readonly Token[], value: string): boolean {
  return ` ${textOf(tokens)} `.includes(` ${plain(value)} `);
}

function textOf(tokens: readonly Token[]): string {
  return plain(tokens.map(({ text }) => text).join(' '));
}
