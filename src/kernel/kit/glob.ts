/** Whether a path, its parts separated by `/`, matches. */
export type Glob = (path: string) => boolean;

const alternativesMax = 100;

/**
 * Parses a glob: `*`, `?` and `[a-z]` within a path part, `**` for any parts, `{a,b}` for alternatives; a leading dot
 * must be written. Returns null for other syntax, such as `+(a|b)` or `{1..9}`, and for too many alternatives.
 *
 * Node's `matchesGlob` compiles to a regular expression, which takes over ten seconds for `**` +
 * `/*a*a*a*a*a*a*a*a*a*a*a*ab` and one path of 40 characters. Here the cost is at most pattern length times path
 * length.
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

/** Expands `a{b,{c,d}}` to `ab`, `ac`, `ad`; null for too many. */
function toAlternatives(pattern: string): readonly string[] | null {
  const done: string[] = [];
  // Innermost braces first, so that those left contain no others.
  const open = [pattern];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const [before, choices, after] = innermost(one);
    if (choices === '') done.push(one);
    else open.push(...choices.split(',').map((choice) => before + choice + after));
    if (done.length + open.length > alternativesMax) return null;
  }
  return done;
}

/** Splits around the last braces that hold a choice and no braces. */
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

/** Any number of names, or of characters in a name. */
const run = Symbol('run');
type Sign = string | typeof run | ((sign: string) => boolean);
type Part = readonly Sign[] | typeof run;

/** The part after a trailing `**`; that of `a/` is empty. */
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

/** Backtracks to the last run only; earlier ones need not be tried again. */
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
