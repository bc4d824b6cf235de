import type { JsonObject } from '../../../../kernel/kit/json.ts';
import { stem } from '../../../../kernel/kit/stem.ts';
import type { Token } from '../asked.ts';
import { turnedBy, type Verdict, verdict } from '../verdict.ts';
import type { Structure } from './lookup.ts';
import type { Node } from './nodes.ts';
import { onlyOne } from './subjects.ts';
import { fillers, wholeNames, wordsOfKey } from './words.ts';

/** The key has another word for what is asked. */
const otherWord = 0.92;
/** And it is asked about something that the state does not name. */
const unnamed = 0.85;

/** What flags say of the noun before them, how people ask for it, and whether they ask what one may do. */
const predicates = [
  {
    keys: 'allowed permitted welcome accepted ok allow allows accept accepts permit permits',
    asked: 'allowed permitted welcome accepted okay ok accept accepts allow allows permit permits',
    mayBeDone: true,
  },
  {
    keys: 'enabled active activated enrolled',
    asked: 'enabled active activated enrolled on switched turned set',
    mayBeDone: true,
  },
  {
    keys: 'included',
    asked: 'included include includes come comes part contain contains covered get gets',
    mayBeDone: false,
  },
  {
    keys: 'required needed mandatory compulsory require requires need needs',
    asked: 'required needed necessary mandatory compulsory require requires need needs must obligatory',
    mayBeDone: false,
  },
  {
    keys: 'available offered provided',
    asked: 'available offered offer offers provided provide provides there have has get gets exist exists',
    mayBeDone: false,
  },
  { keys: 'verified confirmed validated', asked: 'verified confirmed validated', mayBeDone: false },
].map(({ keys, asked, mayBeDone }) => ({
  keys: new Set(keys.split(' ')),
  asked: new Set(asked.split(' ')),
  mayBeDone,
}));
type Predicate = (typeof predicates)[number];
const may = new Set(['may', 'can', 'could', 'possible']);
/** What one does with something that is allowed: "bring a dog", "leave comments". */
const verbs = new Set('bring leave write post take have keep add make use'.split(' '));

/** Flags that say the opposite. */
const denying: ReadonlyMap<string, string> = new Map([
  ['disabled', 'enabled'],
  ['deactivated', 'enabled'],
  ['off', 'enabled'],
  ['forbidden', 'allowed'],
  ['prohibited', 'allowed'],
  ['blocked', 'allowed'],
  ['excluded', 'included'],
]);

/** What nouns of flags are also called. */
const nouns: readonly ReadonlySet<string>[] = [
  'pet pets animal animals dog dogs cat cats',
  'smoking smoke smoker smokers cigarettes',
  'child children kid kids',
  'wifi internet wlan',
  'elevator lift',
  'parking park',
  'mfa 2fa two-factor twofactor authentication',
  'comment comments commenting',
  'pool swimming',
  'ac air-conditioning',
  'delivery deliver delivered',
].map((words) => new Set(words.split(' ')));

const helping = new Set(
  'i we you they he she one may can could will would do does my our your their be to any here there it possible with up'.split(
    ' ',
  ),
);

/** "are dogs welcome" of `pets_allowed`, "can viewers leave comments" of `comments_disabled`. */
export function readPermit(tokens: readonly Token[], { nodes }: Structure): Verdict | null {
  const words = tokens.filter(
    ({ text }) => !fillers.has(text) || predicates.some(({ asked }) => asked.has(text)),
  );
  // Most questions ask for none, and a structure may have many values.
  if (!predicates.some((predicate) => asksFor(predicate, words))) return null;
  const found = onlyOne(nodes.flatMap((node) => permitOf(node, words, tokens) ?? []));
  return found;
}

function permitOf(node: Node, words: readonly Token[], tokens: readonly Token[]): Verdict | null {
  const { key, parent } = node;
  const value = typeof key === 'string' ? flagOf(node) : null;
  if (value === null || typeof key !== 'string') return null;
  const parts = wordsOfKey(key);
  const at = parts.findIndex((part) => predicates.some(({ keys }) => keys.has(denying.get(part) ?? part)));
  const said = parts[at] ?? '';
  const predicate = predicates.find(({ keys }) => keys.has(denying.get(said) ?? said));
  const [own = parent?.key ?? null, ...more] = at < 0 ? [] : parts.toSpliced(at, 1);
  if (predicate === undefined || typeof own !== 'string' || more.length > 0) return null;
  if (!asksFor(predicate, words)) return null;
  const isDenied = denying.has(said) !== words.some((word) => isOpposite(word, predicate));
  const isNoun = ({ text }: Token) =>
    stem(text) === stem(own) || nouns.some((same) => same.has(own) && same.has(text));
  if (!words.some(isNoun)) return null;
  const rest = words.filter(
    (word) =>
      !isNoun(word) &&
      !predicate.asked.has(word.text) &&
      !isOpposite(word, predicate) &&
      !(predicate.mayBeDone && verbs.has(word.text)) &&
      !helping.has(word.text) &&
      !fillers.has(word.text) &&
      !wholeNames.has(word.text) &&
      !isOfHolder(word, parent),
  );
  if (rest.length === 0) return turnedBy(verdict(value, otherWord), isDenied);
  return isAgent(rest, tokens) ? turnedBy(verdict(value, unnamed), isDenied) : null;
}

const asksFor = ({ asked, mayBeDone }: Predicate, words: readonly Token[]): boolean =>
  words.some(
    ({ text }) => asked.has(text) || asked.has(denying.get(text) ?? '') || (mayBeDone && may.has(text)),
  );

/** "are comments disabled" of `comments_enabled` */
const isOpposite = ({ text }: Token, { asked }: Predicate): boolean => asked.has(denying.get(text) ?? '');

/** "is dark mode enabled" of an item with that name that `is_active`. */
export function flagAmong(value: JsonObject, rest: readonly Token[]): Verdict | null {
  const [only, ...more] = rest;
  if (only === undefined || more.length > 0) return null;
  const found = Object.entries(value).flatMap(([key, own]) => {
    const flag = flagOf({ value: own, key });
    const [word = '', ...others] = wordsOfKey(key);
    const says = denying.get(word) ?? word;
    const isMeant = predicates.some(({ keys, asked }) => keys.has(says) && asked.has(only.text));
    return flag === null || others.length > 0 || !isMeant
      ? []
      : [turnedBy(verdict(flag, otherWord), says !== word)];
  });
  return onlyOne(found);
}

function isOfHolder({ text }: Token, parent: Node | null): boolean {
  for (let at = parent; at !== null; at = at.parent)
    if (typeof at.key === 'string' && wordsOfKey(at.key).some((word) => stem(word) === stem(text)))
      return true;
  return false;
}

const modals = new Set('may can could must do does'.split(' '));

/** "can viewers" */
function isAgent([only, ...more]: readonly Token[], tokens: readonly Token[]): boolean {
  return only !== undefined && more.length === 0 && modals.has(tokens[tokens.indexOf(only) - 1]?.text ?? '');
}

const letters: ReadonlyMap<string, boolean> = new Map([
  ['y', true],
  ['yes', true],
  ['true', true],
  ['n', false],
  ['no', false],
  ['false', false],
]);

/** What a flag says, however it was kept: true, "Y", and 1 under a name that no number has. */
export function flagOf({ value, key }: Pick<Node, 'value' | 'key'>): boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return letters.get(value.trim().toLowerCase()) ?? null;
  const isFlag =
    /^(?:is|has|can)(?:[_-]|(?=[A-Z]))|(?:allowed|enabled|disabled|included|required|verified|confirmed)$/;
  return (value === 0 || value === 1) && typeof key === 'string' && isFlag.test(key) ? value === 1 : null;
}
