import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import { stem } from '../../../../kernel/kit/stem.ts';
import type { Token } from '../asked.ts';
import { depthMax, isScalar, nodesOf, type Node, valueAt } from './nodes.ts';
import { fillers, itemNames, mayBeShortened, placeOf, plainWords, wholeNames, wordsOfKey } from './words.ts';

/** Where a question leads in a structure. */
export interface Found {
  readonly value: Json;
  /** What holds the value; null for one that was named as programs name it, and for the whole. */
  readonly parent: Node | null;
  /** Its own key and that of what holds it, the nearer first. */
  readonly keys: readonly string[];
  /** The words that the way there does not explain, in a row. */
  readonly rest: readonly Token[];
  /** Named as programs name it. */
  readonly isExplicit: boolean;
}

const pathForm = /^[\w$]+(?:\[\d+\]|\.\w+)+$/;
const wordsMax = 24;
/** Values from which a path is tried. */
const innerMax = 2_000;
const identityCharsMax = 60;
/** Shorter words at the end of a key tell little: "id", "no". */
const headLengthMin = 3;
/** Last words of keys that need not be said. */
const ofState = new Set(['status', 'state', 'result', 'outcome']);
/** Words of a name of which the last one is enough. */
const nameWordsMax = 3;
/** Keys whose values name what holds them. Those of others ("status") may be what is asked for. */
const identityKey =
  /(?:^|[_-]|(?<=[a-z]))(?:id|name|title|sku|number|no|code|label|slug|ref|reference|email|product|username|key)$/i;

interface Word {
  readonly token: Token;
  readonly text: string;
  readonly stem: string;
  /** What any key or value begins with that is the same word. */
  readonly start: string;
}
const startLength = 3;

/** A structure, prepared for all questions about it. */
export interface Structure {
  /** Values to which the words of a question lead, with as few words left over as can be: several where it is unclear. */
  readonly find: (tokens: readonly Token[]) => readonly Found[];
  readonly nodes: readonly Node[];
}

/** Null for what holds nothing, or too much. */
export function openStructure(root: Json): Structure | null {
  const nodes = nodesOf(root);
  if (nodes === null || nodes.length < 2) return null;
  return { nodes, find: (tokens) => explicit(nodes, root, tokens) ?? named(nodes, tokens) };
}

function explicit(nodes: readonly Node[], root: Json, tokens: readonly Token[]): readonly Found[] | null {
  const at = tokens.findIndex(
    ({ kind, raw }) => kind === 'path' || (kind === 'quoted' && pathForm.test(raw)),
  );
  if (at < 0) return null;
  const value = valueAt(root, tokens[at]?.raw ?? '') ?? within(nodes, tokens[at]?.raw ?? '');
  if (value === undefined) return [];
  const rest = tokens.filter((token, place) => place !== at && !fillers.has(token.text));
  const inside = isScalar(value) ? [] : named(nodesOf(value) ?? [], rest);
  const keys =
    (tokens[at]?.raw ?? '')
      .match(/[\p{L}_$][\w$]*/gu)
      ?.toReversed()
      .slice(0, 2) ?? [];
  return inside.length > 0 ? inside : [{ value, parent: null, keys, rest, isExplicit: true }];
}

/** The one value to which a path leads from somewhere inside: "items[1]" of an order that stands under "order". */
function within(nodes: readonly Node[], path: string): Json | undefined {
  if (nodes.length > innerMax) return undefined;
  const found = nodes.map(({ value }) => valueAt(value, path)).filter((value) => value !== undefined);
  return found.length === 1 ? found[0] : undefined;
}

function named(nodes: readonly Node[], tokens: readonly Token[]): readonly Found[] {
  const words = tokens
    .filter(({ text }) => !fillers.has(text))
    .map((token) => ({
      token,
      text: token.text,
      stem: stem(token.text),
      start: token.text.slice(0, startLength),
    }));
  if (words.length === 0 || words.length > wordsMax) return [];
  const explained = explain(nodes, words);
  let best: Found[] = [];
  let fewest = Infinity;
  for (const [node, used] of explained) {
    const rest = words.filter((_, at) => (used & (1 << at)) === 0).map(({ token }) => token);
    const rank = rest.length + rankOf(node) / depthMax;
    if (rank > fewest || !isInRow(words, used)) continue;
    if (rank < fewest) best = [];
    fewest = rank;
    const keys = [node.key, node.parent?.key].filter((key) => typeof key === 'string');
    best.push({ value: node.value, parent: node.parent, keys, rest, isExplicit: false });
  }
  return best;
}

/** Sets of words (as bits) that lead to the nodes that they name: the node itself, or as an item of its list. */
function explain(nodes: readonly Node[], words: readonly Word[]): ReadonlyMap<Node, number> {
  const said = new Set(words.map(({ stem: one }) => one));
  const used = new Map<Node, number>();
  const ways = new Map<Node, number>();
  const identities = identitiesOf(nodes, words);
  const byKeys = nodes.map(({ key }) => (typeof key === 'string' ? byKey(key, words, said) : 0));
  const keyed = byKeys.reduce((bits, own) => bits | own, 0);
  // `unit_price` is meant by "the price" where nothing has that name of its own.
  for (const [at, { key, value }] of nodes.entries()) {
    if (typeof key !== 'string' || !(typeof value === 'string' || typeof value === 'number')) continue;
    const head = byHead(key, words);
    if ((head & keyed) === 0) byKeys[at] = (byKeys[at] ?? 0) | head;
  }
  for (const [at, node] of nodes.entries()) {
    const before = node.parent === null ? 0 : (ways.get(node.parent) ?? 0);
    // What a key names is not the whole.
    const whole = node.parent === null ? asWhole(node, words) & ~keyed : 0;
    const own = whole | (byKeys[at] ?? 0) | byPlace(node, words, identities);
    const identity = identities.get(node) ?? 0;
    ways.set(node, before | own | identity);
    if ((own | identity) !== 0) used.set(node, before | own | identity);
  }
  return used;
}

/** The whole comes last: "order" is rather the value of that name than the state. */
const rankOf = ({ value, parent, depth }: Node): number =>
  parent === null ? depthMax - 1 : depth + (isJsonObject(value) ? insteadOfWhole : 0);
/** "Is it shipped" asks for `shipped` of a `shipment`. Unit: levels. */
const insteadOfWhole = 1.5;

/** The whole state has no name but a general one: "item" for a list, "order" or "record" for an object. */
function asWhole({ value }: Node, words: readonly Word[]): number {
  const isNamed = ({ stem: root, text }: Word) =>
    Array.isArray(value) ? itemNames.has(root) : wholeNames.has(text);
  return words.reduce((bits, word, at) => (isNamed(word) ? bits | (1 << at) : bits), 0);
}

/** Whether a text holds the start of a word: a quick look that spares most keys and values a closer one. */
function mayName(text: string, words: readonly Word[]): boolean {
  const lower = text.toLowerCase();
  return words.some(({ start }) => lower.includes(start));
}

function byKey(key: string, words: readonly Word[], said: ReadonlySet<string>): number {
  if (!mayName(key, words) && !mayBeShortened(key)) return 0;
  const whole = words.findIndex(({ token }) => token.raw === key);
  if (whole >= 0) return 1 << whole;
  let used = 0;
  for (const [place, keyWord] of wordsOfKey(key).entries()) {
    const root = stem(keyWord);
    // "Has the payment failed" of a `payment_status`.
    if (!said.has(root) && place > 0 && ofState.has(keyWord)) continue;
    if (!said.has(root)) return 0;
    for (const [at, { stem: own }] of words.entries()) if (own === root) used |= 1 << at;
  }
  return used;
}

/** The noun that a key of several words ends in: "fee" of `monthly_fee`, and no "verified" of `email_verified`. */
function byHead(key: string, words: readonly Word[]): number {
  if (!mayName(key, words)) return 0;
  const [, ...rest] = wordsOfKey(key);
  const head = rest.at(-1);
  if (head === undefined || head.length < headLengthMin || /(?:ed|ing)$/.test(head)) return 0;
  const at = words.findIndex(({ text }) => text === head);
  return at < 0 ? 0 : 1 << at;
}

/** "third item", "item 3", "item #3". The name of an item is that of its list, or a general one. */
function byPlace(node: Node, words: readonly Word[], identities: ReadonlyMap<Node, number>): number {
  if (typeof node.key !== 'number' || node.parent === null) return 0;
  let used = 0;
  for (const [at, { text, token }] of words.entries()) {
    const ordinal = placeOf(text);
    if (ordinal !== null && (ordinal === node.key || (ordinal === -1 && node.key === node.siblings - 1))) {
      used |= 1 << at;
      if (isItemName(words[at + 1], node.parent)) used |= 1 << (at + 1);
    }
    const previous = words[at - 1]?.text === '#' || words[at - 1]?.text === 'number' ? at - 2 : at - 1;
    if (token.kind !== 'number' || Number(text) !== node.key + 1 || !isItemName(words[previous], node.parent))
      continue;
    // A number that is the identity of an item is no place.
    if ([...identities.values()].some((bits) => (bits & (1 << at)) !== 0)) continue;
    for (let i = previous; i <= at; i++) used |= 1 << i;
  }
  return used;
}

function isItemName(word: Word | undefined, list: Node): boolean {
  if (word === undefined) return false;
  if (itemNames.has(word.stem)) return true;
  return typeof list.key === 'string' && wordsOfKey(list.key).some((key) => stem(key) === word.stem);
}

/** Items that a value of theirs names: "the lamp", "order 1003", "A-17". */
function identitiesOf(nodes: readonly Node[], words: readonly Word[]): ReadonlyMap<Node, number> {
  const identities = new Map<Node, number>();
  const texts = words.map(({ token }) => stemsOf(token.text));
  for (const { value, parent, key } of nodes) {
    if (parent === null || typeof key !== 'string') continue;
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    const text = String(value);
    if (text.length > identityCharsMax || !mayName(text, words) || !identityKey.test(key)) continue;
    const used = bitsOf(texts, text) || bitsOfLast(texts, text, key);
    if (used === 0) continue;
    let bits = (identities.get(parent) ?? 0) | used;
    // "order A-17": the name of the list before the name of the item.
    const first = texts.findIndex((_, at) => (used & (1 << at)) !== 0);
    if (parent.parent !== null && isItemName(words[first - 1], parent.parent)) bits |= 1 << (first - 1);
    identities.set(parent, bits);
  }
  return identities;
}

/** "keyboards" names a keyboard. */
const stemsOf = (text: string): string => plainWords(text).map(stem).join(' ');

function bitsOf(texts: readonly string[], value: string): number {
  const sought = stemsOf(value);
  if (sought === '') return 0;
  for (let start = 0; start < texts.length; start++) {
    let joined = '';
    let bits = 0;
    for (let end = start; end < texts.length && joined.length < sought.length; end++) {
      joined = joined === '' ? (texts[end] ?? '') : `${joined} ${texts[end]}`;
      bits |= 1 << end;
      if (joined === sought) return bits;
    }
  }
  return 0;
}

/** "the lamp" of a "Desk lamp", and of a "Floor lamp" beside it as well. */
function bitsOfLast(texts: readonly string[], value: string, key: string): number {
  if (!/(?:name|title|product)$/i.test(key)) return 0;
  const name = plainWords(value);
  const at = texts.indexOf(stem(name.at(-1) ?? ''));
  return at < 0 || name.length < 2 || name.length > nameWordsMax || !/^[a-z]/.test(value.at(-1) ?? '')
    ? 0
    : 1 << at;
}

function isInRow(words: readonly Word[], used: number): boolean {
  let gaps = 0;
  for (let at = 0; at < words.length; at++) {
    const isRest = (used & (1 << at)) === 0;
    if (isRest && (at === 0 || (used & (1 << (at - 1))) !== 0)) gaps++;
  }
  return gaps <= 1;
}
