import type { JsonObject } from '../../../../kernel/kit/json.ts';
import { stem } from '../../../../kernel/kit/stem.ts';
import type { NormalizedQuestion } from '../../engine.ts';
import type { Token } from '../asked.ts';
import { toSpan } from '../day.ts';
import { valueIn } from '../quantity.ts';
import { toChoice } from '../verdict.ts';
import { areAlike, identityKey, type List, listsOf } from './lists.ts';
import type { Structure } from './lookup.ts';
import { isMeasure, keepsMeasure } from './measures.ts';
import { type Item, quantityIn, textsOf, truthsOf } from './truths.ts';
import { fillers, itemNames, plain, plainWords, wordsOfKey } from './words.ts';

const likely = 0.95;

/** "What is still to be done?" asks for what is not. */
const remaining = /\b(?:still|yet|left|remaining|remains) to be\b|\bnot\b/;
const ofRemaining = new Set(['not', 'yet', 'left', 'remaining', 'remains']);

/** "which sensor has the highest temperature", "which item is backordered": the option that names the item. */
export function chooseItem(
  tokens: readonly Token[],
  question: NormalizedQuestion,
  structure: Structure,
): readonly number[] | null {
  const isDenied = remaining.test(tokens.map(({ text }) => text).join(' '));
  const rest = tokens.filter(({ text }) => !isDenied || !ofRemaining.has(text));
  const item = extreme(rest, structure) ?? only(truthsOf(rest, structure, true), !isDenied);
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

function only(found: readonly Item[] | null, wanted: boolean): JsonObject | null {
  const fitting = found?.filter(({ holds }) => holds === wanted) ?? [];
  return fitting.length === 1 ? (fitting[0]?.item ?? null) : null;
}

const greatest = new Set(
  `highest largest biggest most greatest maximum max top longest heaviest hottest warmest priciest dearest oldest tallest
  best`.split(/\s+/),
);
const least = new Set(
  'lowest smallest least fewest minimum min shortest lightest coldest coolest cheapest youngest worst'.split(
    ' ',
  ),
);
const latest = new Set(['newest', 'latest', 'recent', 'recently']);
const earliest = new Set(['earliest', 'oldest']);
const superlatives = new Set([...greatest, ...least, ...latest, ...earliest]);

function extreme(tokens: readonly Token[], structure: Structure): JsonObject | null {
  const texts = tokens.map(({ text }) => text);
  for (const list of listsOf(structure)) {
    const key = keyOf(tokens, texts, list);
    const isDay = key !== null && numberIn(list.items[0], key) === null;
    const isMost = texts.some((text) => (isDay ? latest : greatest).has(text));
    const isLeast = texts.some((text) => (isDay ? earliest : least).has(text));
    if (key === null || isMost === isLeast) continue;
    const ranked = list.items
      .map((item) => ({ item, value: (isDay ? dayIn : numberIn)(item, key) ?? 0 }))
      .toSorted((a, b) => (b.value - a.value) * (isMost ? 1 : -1));
    const [first, second] = ranked;
    if (first !== undefined && second !== undefined && first.value !== second.value) return first.item;
  }
  return null;
}

/** The key by which the items are ranked: what the words name or measure, or the only one where they say no more. */
function keyOf(tokens: readonly Token[], texts: readonly string[], list: List): string | null {
  if (!texts.some((text) => superlatives.has(text))) return null;
  const { items } = list;
  const isKept = (key: string, valueOf: typeof dayIn) =>
    !identityKey.test(key) && items.every((item) => valueOf(item, key) !== null);
  const all = Object.keys(items[0] ?? {});
  const measured = all.filter(
    (key) => keepsMeasure(plainWords(key.replaceAll('_', ' ')).join(' '), texts) && isKept(key, numberIn),
  );
  const isOfTime = measured.length === 0 && texts.some((text) => latest.has(text) || earliest.has(text));
  const valueOf = isOfTime ? dayIn : numberIn;
  const isNamed = (key: string) => wordsOfKey(key).some((word) => texts.some((text) => areAlike(word, text)));
  const named = all.filter((key) => isNamed(key) && isKept(key, valueOf));
  // "the largest outgoing" of amounts of both kinds
  const isExplained = !texts.some(isMeasure) && tokens.every((token) => explains(token, list));
  const keys = named.length > 0 ? named : measured;
  const [key, ...more] =
    keys.length > 0 || !isExplained ? keys : all.filter((other) => isKept(other, valueOf));
  return key === undefined || more.length > 0 ? null : key;
}

function numberIn(item: JsonObject | undefined, key: string): number | null {
  const quantity = item === undefined ? null : quantityIn(item, key);
  return quantity === null ? null : valueIn(quantity, quantity.unit);
}

function dayIn(item: JsonObject | undefined, key: string): number | null {
  const text = item?.[key];
  if (typeof text !== 'string') return null;
  // As programs write it, at once: reading words takes longer.
  const stamp = /^\d{4}-\d{2}-\d{2}(?:T|$)/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(stamp) ? (toSpan(text)?.from ?? null) : stamp;
}

/** Whether a word names the list, its items or their keys, or is one of those that any question has. */
function explains({ text }: Token, { items, names, isMap }: List): boolean {
  const root = stem(text);
  if (superlatives.has(text) || fillers.has(text) || text === 'who' || itemNames.has(root)) return true;
  if (names.includes(root) || names.some((name) => areAlike(name, text))) return true;
  return (
    !isMap && Object.keys(items[0] ?? {}).some((key) => wordsOfKey(key).some((word) => areAlike(word, text)))
  );
}
