import { isJsonObject } from '../../../../kernel/kit/json.ts';
import { stem } from '../../../../kernel/kit/stem.ts';
import type { Token } from '../asked.ts';
import { isSubject } from './flags.ts';
import type { Node } from './nodes.ts';
import { fillers, plain, plainWords, wholeNames, wordsOfKey } from './words.ts';

/** How sure a reading may be whose words name the place, and one that asks about something the state does not name. */
export const named = 0.97;
export const unnamed = 0.87;

const helping = new Set(
  'he she they i we you him them us me my our your will would may can could should must get gets got'.split(
    ' ',
  ),
);

/**
 * How sure it is that words ask about what holds a value: the names of what it stands in, of the whole, or of whom one
 * text there names. Null where a word says something else. One noun behind an article may be what the state calls otherwise.
 */
export function certaintyOfSubject(
  words: readonly Token[],
  node: Node,
  tokens: readonly Token[],
): number | null {
  const ways = waysTo(node);
  const known = new Set([...ways, ...keysBeside(node)].flatMap(wordsOfKey).map(stem));
  const texts = new Set(textsBeside(node));
  const left = words.filter(
    ({ text }) =>
      !fillers.has(text) &&
      !helping.has(text) &&
      !wholeNames.has(text) &&
      !known.has(stem(text)) &&
      !texts.has(text),
  );
  if (left.length === 0) return named;
  // What has a name in the state is called by it: the warranty is another thing than the contract.
  const isOther = ways.length > 1 || kin.has(left[0]?.text ?? '');
  return !isOther && isSubject(left, tokens) && !isPossessed(left[0], tokens) ? unnamed : null;
}

/** Who belongs to somebody that the state tells of. */
const kin = new Set(
  'brother sister mother father son daughter wife husband partner parent parents child children friend boss manager'.split(
    ' ',
  ),
);
const possessive = new Set('my your their his her its our'.split(' '));

const isPossessed = (word: Token | undefined, tokens: readonly Token[]): boolean =>
  word !== undefined && possessive.has(tokens[tokens.indexOf(word) - 1]?.text ?? '');

const keysBeside = ({ parent }: Node): readonly string[] =>
  parent !== null && isJsonObject(parent.value) ? Object.keys(parent.value) : [];

function waysTo(node: Node): readonly string[] {
  const keys: string[] = [];
  for (let at: Node | null = node; at !== null; at = at.parent)
    if (typeof at.key === 'string') keys.push(at.key);
  return keys;
}

const nameCharsMax = 40;

/** Words of the names that stand beside a value: "Karl", "server room". */
function textsBeside({ parent }: Node): readonly string[] {
  if (parent === null || !isJsonObject(parent.value)) return [];
  return Object.entries(parent.value).flatMap(([key, value]) =>
    /name|title|label|^id$|sku/i.test(key) && typeof value === 'string' && value.length <= nameCharsMax
      ? plainWords(value)
      : [],
  );
}

/** The one node that fits, where no other does; null for none and for several. */
export function onlyOne<Value>(found: readonly Value[]): Value | null {
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** Words of a key in a row, as expressions are looked for in them. */
export const keyText = (key: string): string =>
  plain(key.replaceAll('_', ' ').replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' '));
