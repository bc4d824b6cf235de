import { objectsOf } from '../../../../kernel/kit/json-fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { stem } from '../../../../kernel/kit/stem.ts';
import type { NormalizedQuestion } from '../../engine.ts';
import type { Token } from '../asked.ts';
import { toChoice, type Verdict, verdict } from '../verdict.ts';
import { excludes, mayInclude } from './scales.ts';
import type { Structure } from './lookup.ts';
import type { Node } from './nodes.ts';
import { fillers, itemNames, plain, plainWords, wordsOfKey } from './words.ts';

const sure = 0.97;
const likely = 0.95;

type Quantifier = 'all' | 'any' | 'none';
const quantifiers: ReadonlyMap<string, Quantifier> = new Map([
  ['all', 'all'],
  ['every', 'all'],
  ['each', 'all'],
  ['both', 'all'],
  ['any', 'any'],
  ['some', 'any'],
  ['none', 'none'],
  ['no', 'none'],
]);

/** "are all items shipped", "is any sensor not ok", "are none of the orders cancelled". */
export function readQuantified(tokens: readonly Token[], structure: Structure): Verdict | null {
  const at = tokens.findIndex(({ text }) => quantifiers.has(text));
  const quantifier = quantifiers.get(tokens[at]?.text ?? '');
  if (quantifier === undefined) return null;
  const rest = tokens.filter((_, place) => place !== at);
  const isDenied = rest.some(({ text }) => text === 'not');
  const found = truths(
    rest.filter(({ text }) => text !== 'not'),
    structure,
  );
  if (found === null) return null;
  const fits = found.map(({ holds }) => holds !== isDenied);
  if (quantifier === 'all') return verdict(fits.every(Boolean), sure);
  return verdict(fits.some(Boolean) === (quantifier === 'any'), sure);
}

interface Item {
  readonly item: JsonObject;
  readonly holds: boolean;
}

/** Whether the rest of the words holds for each item of the list that they name; null where that is unclear. */
function truths(tokens: readonly Token[], structure: Structure): readonly Item[] | null {
  const words = tokens.filter(({ text }) => !fillers.has(text));
  for (const { value, key } of structure.nodes) {
    if (!Array.isArray(value)) continue;
    const items = (value as readonly Json[]).filter(isJsonObject);
    if (items.length < 2 || items.length < value.length) continue;
    const ofList = typeof key === 'string' ? wordsOfKey(key).map(stem) : [];
    const names = new Set([
      ...ofList,
      ...items.flatMap(Object.keys).flatMap(wordsOfKey).map(stem),
      'item',
      'row',
    ]);
    const isFlag = (name: string) => items.every((item) => typeof item[name] === 'boolean');
    const flags = Object.keys(items[0] ?? {}).filter(isFlag);
    const flag = flags.find((name) => words.some(({ text }) => wordsOfKey(name).includes(text)));
    const rest = words.filter(({ text }) => !names.has(stem(text)));
    if (rest.length === 0 && flag !== undefined && (ofList.length === 0 || words.length > 1))
      return items.map((item) => ({ item, holds: item[flag] === true }));
    const asked = plain(rest.map(({ text }) => text).join(' '));
    if (asked === '' || rest.length === words.length) continue;
    const found = items.map((item) => ({ item, holds: holdsOf(item, asked) }));
    if (found.every((one): one is Item => one.holds !== null) && isKnown(asked, items)) return found;
  }
  return null;
}

const textsOf = (item: JsonObject): readonly string[] =>
  Object.values(item)
    .filter((value) => typeof value === 'string')
    .map(plain);

function holdsOf(item: JsonObject, asked: string): boolean | null {
  const texts = textsOf(item);
  if (texts.includes(asked)) return true;
  return texts.length === 0 || texts.some((own) => mayInclude(own, asked)) ? null : false;
}

/** Whether some item has the value, or one that excludes it. */
function isKnown(asked: string, items: readonly JsonObject[]): boolean {
  return items.some((item) => textsOf(item).some((own) => own === asked || excludes(own, asked)));
}

const greatest = new Set(
  'highest largest biggest most greatest maximum max top longest heaviest hottest expensive priciest'.split(
    ' ',
  ),
);
const least = new Set(
  'lowest smallest least fewest minimum min shortest lightest coldest cheapest'.split(' '),
);
const ofPrice = new Set(['cheapest', 'priciest', 'expensive']);

/** "which sensor has the highest temperature", "which item is backordered": the option that names the item. */
export function chooseItem(
  tokens: readonly Token[],
  question: NormalizedQuestion,
  structure: Structure,
): readonly number[] | null {
  const item =
    extreme(tokens, structure) ??
    only(
      truths(
        tokens.filter(({ text }) => text !== 'not'),
        structure,
      ),
    );
  if (item === null) return null;
  const texts = new Set([...textsOf(item), ...numbersOf(item)]);
  const fits = question.options.map(({ name }) => texts.has(plain(name)));
  const right = fits.indexOf(true);
  return right < 0 || fits.indexOf(true, right + 1) >= 0 ? null : toChoice(fits.length, right, likely);
}

const numbersOf = (item: JsonObject): readonly string[] =>
  Object.values(item)
    .filter((value) => typeof value === 'number')
    .map(String);

function only(found: readonly Item[] | null): JsonObject | null {
  const fitting = found?.filter(({ holds }) => holds) ?? [];
  return fitting.length === 1 ? (fitting[0]?.item ?? null) : null;
}

function extreme(tokens: readonly Token[], structure: Structure): JsonObject | null {
  const texts = tokens.map(({ text }) => text);
  const [isMost, isLeast] = [greatest, least].map((words) => texts.some((text) => words.has(text)));
  if (isMost === isLeast) return null;
  const asked = [...texts, ...(texts.some((text) => ofPrice.has(text)) ? ['price'] : [])];
  for (const node of structure.nodes) {
    const { value } = node;
    const items = objectsOf(value);
    if (items.length < 2) continue;
    const keys = Object.keys(items[0] ?? {}).filter((key) =>
      items.every((item) => typeof item[key] === 'number'),
    );
    const named = keys.filter((key) =>
      wordsOfKey(key).some((word) => asked.some((text) => areAlike(word, text))),
    );
    // "the largest outgoing" of amounts of both kinds
    if (named.length === 0 && !tokens.every((token) => isExplained(token, node, items))) continue;
    const [key, ...others] = named.length > 0 ? named : keys;
    if (key === undefined || others.length > 0) continue;
    const ranked = items.toSorted((a, b) => (Number(b[key]) - Number(a[key])) * (isMost === true ? 1 : -1));
    const [first, second] = ranked;
    if (first !== undefined && second !== undefined && first[key] !== second[key]) return first;
  }
  return null;
}

/** Whether a word names the list, its items or their keys, or is one of those that any question has. */
function isExplained({ text }: Token, { key }: Node, items: readonly JsonObject[]): boolean {
  const root = stem(text);
  if (greatest.has(text) || least.has(text) || fillers.has(text) || itemNames.has(root)) return true;
  const names = [...(typeof key === 'string' ? [key] : []), ...Object.keys(items[0] ?? {})];
  return names.some((name) => wordsOfKey(name).some((word) => areAlike(word, text)));
}

/** "temp" and "temperature", "price" and "prices". */
function areAlike(key: string, word: string): boolean {
  const [short = '', long = ''] = [stem(key), stem(word)].toSorted((a, b) => a.length - b.length);
  return short === long || (short.length >= 4 && long.startsWith(short)) || plainWords(word).includes(key);
}
