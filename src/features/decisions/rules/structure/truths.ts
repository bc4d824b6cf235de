import type { JsonObject } from '../../../../kernel/kit/json.ts';
import { stem } from '../../../../kernel/kit/stem.ts';
import type { Token } from '../asked.ts';
import { type Quantity, valueIn } from '../quantity.ts';
import { findComparison, isWithin, type Range } from '../range.ts';
import { quantityAt } from './amounts.ts';
import { areAlike, identityKey, type List, listsOf } from './lists.ts';
import type { Structure } from './lookup.ts';
import { isMeasure, keepsMeasure } from './measures.ts';
import { excludes, isDenying, isSame, mayInclude, saysYes } from './scales.ts';
import { fillers, plain, plainWords, wordsOfKey } from './words.ts';

/** An item of a list, and whether what was asked holds for it. */
export interface Item {
  readonly item: JsonObject;
  readonly holds: boolean;
}

/** Words that lead from an item to what is said of it. */
const relatives = new Set('that which who whose where them those these one ones people persons'.split(' '));
const having = new Set(['have', 'has', 'having', 'with', 'without', 'got']);
/** Longer lists have to be named: every choice asks whether the only list has what it is about. */
const unnamedMax = 500;

/**
 * Whether the words hold for each item of the list that they name; null where that is unclear. With `isAnyList` they name
 * none ("everybody"), and the only one is meant.
 */
export function truthsOf(
  tokens: readonly Token[],
  structure: Structure,
  isAnyList = false,
): readonly Item[] | null {
  const lists = listsOf(structure);
  const compared = findComparison(tokens);
  const words = (compared?.rest ?? tokens).filter(
    ({ text }) => !fillers.has(text) && !relatives.has(text) && !having.has(text),
  );
  const isOnly = isAnyList && lists.length === 1 && (lists[0]?.items.length ?? 0) <= unnamedMax;
  for (const list of lists) {
    const found =
      compared === null
        ? inWords(words, list, tokens, isOnly)
        : inNumbers(compared.found, words, list, tokens, isOnly);
    if (found !== null) return found;
  }
  return null;
}

function inWords(
  words: readonly Token[],
  { items, names, isMap }: List,
  tokens: readonly Token[],
  isOnly: boolean,
): readonly Item[] | null {
  const keys = [...new Set(items.flatMap(Object.keys))];
  const known = new Set([...names, ...keys.flatMap(wordsOfKey).map(stem), 'item', 'row']);
  const rest = words.filter(({ text }) => !known.has(stem(text)));
  const isNamed = isOnly || names.length === 0 || words.some(({ text }) => names.includes(stem(text)));
  if (rest.length === 0 && isNamed) {
    const said = keys.filter((key) =>
      wordsOfKey(key).every((own) => words.some(({ text }) => stem(text) === stem(own))),
    );
    // The key of a name may be called as the list is: "which chore is done".
    const ofItems = said.filter((key) => !wordsOfKey(key).every((own) => names.includes(stem(own))));
    const [key, ...others] = ofItems.length > 0 ? ofItems : said;
    if (key === undefined || others.length > 0) return null;
    if (items.every((item) => typeof item[key] === 'boolean'))
      return items.map((item) => ({ item, holds: item[key] === true }));
    // "do all tickets have an assignee"
    if (tokens.some(({ text }) => having.has(text)))
      return items.map((item) => ({ item, holds: isThere(item[key]) }));
    return null;
  }
  const asked = plain(rest.map(({ text }) => text).join(' '));
  if (asked === '' || (rest.length === words.length && !isOnly)) return null;
  if (isMap && items.every((item) => typeof item['value'] === 'boolean')) {
    const isYes = saysYes(asked);
    return isYes || isDenying(asked) ? items.map((item) => ({ item, holds: item['value'] === isYes })) : null;
  }
  const found = items.map((item) => ({ item, holds: holdsOf(item, asked) }));
  return found.every((one): one is Item => one.holds !== null) && isKnown(asked, items) ? found : null;
}

const isThere = (value: JsonObject[string] | undefined): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '';

/** Whether a number of each item lies in a range: "any reading above 8", "items that cost more than 30". */
function inNumbers(
  range: Range,
  words: readonly Token[],
  { items, names, isMap }: List,
  tokens: readonly Token[],
  isOnly: boolean,
): readonly Item[] | null {
  const ofList = new Set([...names, 'item', 'row', 'entry']);
  if (!isOnly && !words.some(({ text }) => ofList.has(stem(text)))) return null;
  const texts = tokens.map(({ text }) => text);
  const key = measuredBy(
    texts,
    range.unit,
    words.filter(({ text }) => !ofList.has(stem(text))),
    items,
    isMap,
  );
  if (key === null) return null;
  const found = items.map((item) => {
    const quantity = quantityIn(item, key);
    const value = quantity === null ? null : valueIn(quantity, range.unit);
    return { item, holds: value === null ? null : isWithin(value, range) };
  });
  return found.every((one): one is Item => one.holds !== null) ? found : null;
}

/** The quantity that an item has under a key. */
export const quantityIn = (item: JsonObject, key: string): Quantity | null =>
  quantityAt({
    value: item[key] ?? null,
    keys: [key],
    parent: { value: item, key: null, parent: null, siblings: 0, depth: 0 },
  });

/** The one key with a quantity in every item that the words name or measure, or that is the only one; each word has to belong to it. */
function measuredBy(
  asked: readonly string[],
  unit: string | null,
  words: readonly Token[],
  items: readonly JsonObject[],
  isMap: boolean,
): string | null {
  const quantities = Object.keys(items[0] ?? {}).filter(
    (key) => !identityKey.test(key) && items.every((item) => quantityIn(item, key) !== null),
  );
  const isNamedBy = (key: string, { text }: Token) => wordsOfKey(key).some((own) => areAlike(own, text));
  const measured = (key: string) => keepsMeasure(plainWords(key.replaceAll('_', ' ')).join(' '), asked);
  const [named, kept] = [
    quantities.filter((key) => words.some((word) => isNamedBy(key, word))),
    quantities.filter(measured),
  ];
  const ofUnit = quantities.filter((key) => unit !== null && hasUnit(key, unit, items));
  const [key, ...others] = [named, kept, ofUnit, quantities].find((keys) => keys.length > 0) ?? [];
  if (key === undefined || others.length > 0) return null;
  // What is asked by a measure is under no key of another kind.
  if (!isMap && asked.some(isMeasure) && named.length === 0 && kept.length === 0) return null;
  return words.every((word) => isNamedBy(key, word) || isMeasure(word.text)) ? key : null;
}

function hasUnit(key: string, unit: string, items: readonly JsonObject[]): boolean {
  return items.every((item) => {
    const quantity = quantityIn(item, key);
    return quantity !== null && quantity.unit !== null && valueIn(quantity, unit) !== null;
  });
}

const madeTexts = new WeakMap<JsonObject, readonly string[]>();

/** Texts of an item as they are compared, made once. */
export function textsOf(item: JsonObject): readonly string[] {
  const before = madeTexts.get(item);
  if (before !== undefined) return before;
  const texts = Object.values(item)
    .filter((value) => typeof value === 'string')
    .map(plain);
  madeTexts.set(item, texts);
  return texts;
}

function holdsOf(item: JsonObject, asked: string): boolean | null {
  const texts = textsOf(item);
  if (texts.some((own) => isSame(own, asked))) return true;
  return texts.length === 0 || texts.some((own) => mayInclude(own, asked)) ? null : false;
}

/** Whether some item has the value, or one that excludes it. */
function isKnown(asked: string, items: readonly JsonObject[]): boolean {
  return items.some((item) => textsOf(item).some((own) => isSame(own, asked) || excludes(own, asked)));
}
