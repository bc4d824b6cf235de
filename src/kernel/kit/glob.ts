/** Whether a path, with `/` between its parts, is one that a pattern means. */
export type Glob = (path: string) => boolean;

/** Patterns that braces may stand for. */
const alternativesMax = 100;

/**
 * A glob: `*`, `?` and `[a-z]` within a part of a path, `**` for any parts, `{a,b}` for one of several. What begins with a
 * point is named with its point. Null for a pattern of another kind, such as `+(a|b)` or `{1..9}`, or of too many.
 *
 * Node's `matchesGlob` makes a regular expression of it, and holds the event loop for more than ten seconds with
 * `**` + `/*a*a*a*a*a*a*a*a*a*a*a*ab` and one path of 40 signs, or with `{1..100000}` and any. Here a pattern costs at most
 * its length times that of the path.
 */
export function parseGlob(pattern: string): Glob | null {
  if (/[?*+@!]\(|\.\.[^{},.]*\}|\[:/.test(pattern)) return null;
  const alternatives = toAlternatives(pattern);
  if (alternatives === null) return null;
  const all = alternatives.map(toParts);
  return (path) => {
    const names = path.split('/').filter((name, at) => name !== '' || at === 0);
    const isFolder = path.endsWith('/');
    return all.some(
      (parts) => matchesNames(parts, names) || (isFolder && matchesNames(parts, [...names, ''])),
    );
  };
}

/** `a{b,{c,d}}` as `ab`, `ac`, `ad`; null for too many. */
function toAlternatives(pattern: string): readonly string[] | null {
  const done: string[] = [];
  // The innermost braces first, so that what is left of others has none inside.
  const open = [pattern];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const [before, choices, after] = innermost(one);
    if (choices === '') done.push(one);
    else open.push(...choices.split(',').map((choice) => before + choice + after));
    if (done.length + open.length > alternativesMax) return null;
  }
  return done;
}

/** What stands before, in and behind the last braces that hold a choice and no braces. */
function innermost(pattern: string): readonly [before: string, choices: string, after: string] {
  let close = -1;
  for (let at = pattern.length - 1; at >= 0; at--) {
    const choices = pattern[at] === '{' && close > at ? pattern.slice(at + 1, close) : '';
    if (choices.includes(',')) return [pattern.slice(0, at), choices, pattern.slice(close + 1)];
    if (pattern[at] === '}') close = at;
    else if (pattern[at] === '{') close = -1;
  }
  return [pattern, '', ''];
}

/** Any number of names, or of signs in a name. */
const run = Symbol('run');
/** One sign of a name. */
type Sign = string | typeof run | ((sign: string) => boolean);
type Part = readonly Sign[] | typeof run;

/** The name after a last `**`; that of `a/` is empty. */
const below: Part = [run];

function toParts(pattern: string): readonly Part[] {
  const parts = pattern
    .split('/')
    .filter((part, at, all) => part !== '' || at === 0 || at === all.length - 1);
  const read = parts.map((part) => (part === '**' ? run : toSigns(part)));
  // `a/**` is not `a`.
  return read.at(-1) === run ? [...read, below] : read;
}

function toSigns(part: string): readonly Sign[] {
  const tokens = part.matchAll(/\[(?<not>[!^]?)(?<members>\]?[^\]]{1,100}|\])\]|\*+|./gsu);
  return [...tokens].map(({ 0: token, groups }) => {
    const { not, members } = groups ?? {};
    if (members !== undefined) return toClass(members, not !== '');
    if (token.startsWith('*')) return run;
    return token === '?' ? () => true : token;
  });
}

function toClass(members: string, isNegated: boolean): (sign: string) => boolean {
  const ranges = [...members.matchAll(/(?<from>.)(?:-(?<to>.))?/gsu)].map(({ groups }) => {
    const { from = '', to = from } = groups ?? {};
    return { from, to };
  });
  return (sign) => ranges.some(({ from, to }) => from <= sign && sign <= to) !== isNegated;
}

function matchesNames(parts: readonly Part[], names: readonly string[]): boolean {
  return matches(parts, names, matchesName, (name) => !name.startsWith('.'));
}

function matchesName(signs: readonly Sign[], name: string): boolean {
  if (name.startsWith('.') && signs[0] !== '.') return false;
  if (name === '') return signs.length === 0 || signs === below;
  return matches(signs, [...name], fits, () => true);
}

function fits(one: Exclude<Sign, typeof run>, sign: string): boolean {
  return typeof one === 'string' ? one === sign : one(sign);
}

/** The last run takes one item more whenever what follows it does not fit; those before it need not be tried again. */
function matches<Wanted, Item>(
  pattern: readonly (Wanted | typeof run)[],
  items: readonly Item[],
  isFit: (wanted: Wanted, item: Item) => boolean,
  mayRun: (item: Item) => boolean,
): boolean {
  let [at, runAt, runTo] = [0, -1, 0];
  for (let place = 0; place < items.length;) {
    const wanted = pattern[at];
    const item = items[place] as Item;
    if (wanted === run) {
      [runAt, runTo] = [at, place];
      at += 1;
    } else if (at < pattern.length && isFit(wanted as Wanted, item)) {
      at += 1;
      place += 1;
    } else if (runAt >= 0 && mayRun(items[runTo] as Item)) {
      runTo += 1;
      [at, place] = [runAt + 1, runTo];
    } else {
      return false;
    }
  }
  return pattern.slice(at).every((rest) => rest === run);
}
