import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import { type Token, tokensOf } from '../asked.ts';
import { type Span, toSpan } from '../day.ts';
import type { Quantity } from '../quantity.ts';
import { toQuantity, unitOfKeys } from './quantities.ts';
import type { Found, Structure } from './lookup.ts';
import { isScalar, type Scalar } from './nodes.ts';
import { fillers, minorUnits, plain, wholeNames } from './words.ts';

const counting = new Set(['number', 'count', 'many', 'how', 'total', 'different', 'distinct', 'separate']);

/** Asked of these, two lamps are one. */
const kinds = new Set(['different', 'distinct', 'separate']);

/** Names for the items of whatever list there is. */
const general = new Set(
  'products things articles entries records rows elements positions objects lines'.split(' '),
);

/** What a question asks for in a structure: a value, or how many items there are; null where that is unclear. */
export function readValue(tokens: readonly Token[], structure: Structure): Scalar {
  const direct = only(structure.find(tokens));
  if (direct !== null && direct.rest.length === 0 && isScalar(direct.value)) return direct.value;
  if (tokens.some(({ text }) => kinds.has(text))) return countOf(tokens, structure);
  const [count = null, ...pieces] = countsOf(tokens, structure);
  return pieces.every((one) => one === count) ? count : null;
}

/**
 * What the words may count: the items of a list, and the pieces, where items say how many of them there are. Empty where
 * they name no list.
 */
export function countsOf(tokens: readonly Token[], structure: Structure): readonly number[] {
  const items = itemsOf(tokens, structure);
  const count = countOf(tokens, structure);
  if (count === null) return [];
  const pieces = items?.length === count ? items.map(piecesOf) : [];
  return pieces.length > 0 && pieces.every((one) => one !== null)
    ? [count, pieces.reduce((sum, one) => sum + one, 0)]
    : [count];
}

function piecesOf(item: Json): number | null {
  const [key] = isJsonObject(item)
    ? Object.keys(item).filter((name) => /^(?:qty|quantity|count|pieces|units)$/i.test(name))
    : [];
  const pieces = key === undefined || !isJsonObject(item) ? undefined : item[key];
  return typeof pieces === 'number' ? pieces : null;
}

/** The list that the words name and nothing else; the only one of a structure is also called "products" or "things". */
function itemsOf(tokens: readonly Token[], structure: Structure): readonly Json[] | null {
  const telling = tokens.filter(({ text }) => !counting.has(text));
  const found = only(structure.find(telling));
  if (found !== null && found.rest.length === 0 && Array.isArray(found.value))
    return found.value as readonly Json[];
  const lists = structure.nodes.flatMap(({ value }) =>
    Array.isArray(value) ? [value as readonly Json[]] : [],
  );
  const nouns = telling.filter(({ text }) => !fillers.has(text) && !wholeNames.has(text));
  const [list] = lists;
  return lists.length === 1 &&
    list?.every(isJsonObject) === true &&
    nouns.length === 1 &&
    general.has(nouns[0]?.text ?? '')
    ? list
    : null;
}

/** Number of items that the words name: "items", "number of orders", "items that are shipped". */
function countOf(tokens: readonly Token[], structure: Structure): number | null {
  const all = itemsOf(tokens, structure);
  if (all !== null) return all.length;
  const found = only(structure.find(tokens.filter(({ text }) => !counting.has(text))));
  if (found === null || !Array.isArray(found.value)) return null;
  const items = found.value as readonly Json[];
  const asked = plain(found.rest.map(({ text }) => text).join(' '));
  const fitting = items.filter((item) => hasValue(item, asked)).length;
  return fitting === 0 ? null : fitting;
}

function hasValue(item: Json, asked: string): boolean {
  if (typeof item === 'string') return plain(item) === asked;
  return (
    isJsonObject(item) &&
    Object.values(item).some((value) => typeof value === 'string' && plain(value) === asked)
  );
}

/** Whether the words lead to a value that is null. */
export function isUnset(tokens: readonly Token[], structure: Structure): boolean {
  const found = only(structure.find(tokens));
  return found !== null && found.rest.length === 0 && found.value === null;
}

/** What is said beside the name of a figure: "CPU usage", "battery level". */
const measuring = new Set(
  'usage utilization utilisation level reading figure get gets got receive receives received'.split(' '),
);

/** The quantity at the place that the words name. */
export function quantityOf(tokens: readonly Token[], structure: Structure): Quantity | null {
  const found = only(structure.find(tokens));
  return found !== null && found.rest.every(({ text }) => measuring.has(text)) ? quantityAt(found) : null;
}

/** The quantity that a value is; a currency may stand beside it. */
export function quantityAt({
  value,
  parent,
  keys,
}: Pick<Found, 'value' | 'parent' | 'keys'>): Quantity | null {
  // 2.10 comes after 2.9.
  if (/version/i.test(keys[0] ?? '')) return null;
  if (typeof value === 'string') return readAmount(value);
  if (typeof value !== 'number') return null;
  if (minorUnits.has(keys[0]?.split(/[_-]/).at(-1)?.toLowerCase() ?? ''))
    return quantityAt({ value: value / 100, parent, keys: keys.slice(1) });
  const own = unitOfKeys(keys);
  if (own !== null) return { value, unit: own };
  const beside = parent !== null && isJsonObject(parent.value) ? parent.value['currency'] : undefined;
  if (typeof beside !== 'string') return { value, unit: null };
  const one = toQuantity(tokensOf(`1 ${beside}`));
  return one && { value, unit: one.unit };
}

const amountCharsMax = 60;
/** Thousands behind blanks: "1 249,50 €". */
const spaced = /^\D*\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?\D*$/;
/** How ledgers write what is below zero. */
const bracketed = /^\s*\((.+)\)\s*$/;

function readAmount(text: string): Quantity | null {
  const whole = text.slice(0, amountCharsMax);
  const inner = bracketed.exec(whole)?.[1];
  const amount = inner ?? whole;
  const quantity = toQuantity(
    tokensOf(spaced.test(amount) ? amount.replaceAll(/(?<=\d)[ \u00a0\u202f](?=\d{3})/g, '') : amount),
  );
  return quantity !== null && inner !== undefined ? { ...quantity, value: -quantity.value } : quantity;
}

/** The texts at the place that the words name, where all of them are days: one, or a list of them. */
export function readDates(tokens: readonly Token[], structure: Structure): readonly Span[] {
  const found = only(structure.find(tokens));
  if (found === null || found.rest.length > 0) return [];
  const texts = Array.isArray(found.value) ? (found.value as readonly Json[]) : [found.value];
  const spans = texts.map((text) => (typeof text === 'string' ? toSpan(text) : null));
  return spans.every((span) => span !== null) ? spans : [];
}

function only(found: readonly Found[]): Found | null {
  return found.length === 1 ? (found[0] ?? null) : null;
}
