import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { stem } from '../../../../kernel/kit/stem.ts';
import type { Structure } from './lookup.ts';
import { plainWords, wordsOfKey } from './words.ts';

/** Several things of one kind. */
export interface List {
  readonly items: readonly JsonObject[];
  /** Stems of what it is called; none where it is the whole. */
  readonly names: readonly string[];
  /** Its entries had names in place of places: `{ "checks": { "lint": "passed", "unit": "failed" } }`. */
  readonly isMap: boolean;
}

/** Keys with numbers that measure nothing. */
export const identityKey = /(?:^|[_-]|(?<=[a-z]))(?:id|no|number|code|zip|phone|year|index|position|rank)$/i;

/** Longer values are no words for a state. */
const valueCharsMax = 40;

/** Lists of objects, and objects with a value of one kind under each of several names. */
export function listsOf({ nodes }: Structure): readonly List[] {
  return nodes.flatMap(({ value, key }): readonly List[] => {
    const names = typeof key === 'string' ? wordsOfKey(key).map(stem) : [];
    if (Array.isArray(value)) {
      const items = (value as readonly Json[]).filter(isJsonObject);
      return items.length < 2 || items.length < value.length ? [] : [{ items, names, isMap: false }];
    }
    // What is called by a plural: "checks", "permissions", and no "address".
    const isMany = typeof key === 'string' && /(?<!s)s$/i.test(key);
    if (!isMany || !isJsonObject(value)) return [];
    const entries = Object.entries(value);
    const kinds = new Set(entries.map(([, one]) => typeof one));
    const areShort = entries.every(([, one]) => typeof one !== 'string' || one.length <= valueCharsMax);
    if (entries.length < 2 || kinds.size > 1 || kinds.has('object') || !areShort) return [];
    return [{ items: entries.map(([name, one]) => ({ name, value: one })), names, isMap: true }];
  });
}

/** "temp" and "temperature", "price" and "prices". */
export function areAlike(key: string, word: string): boolean {
  const [short = '', long = ''] = [stem(key), stem(word)].toSorted((a, b) => a.length - b.length);
  return short === long || (short.length >= 4 && long.startsWith(short)) || plainWords(word).includes(key);
}
