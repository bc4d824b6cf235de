import { ConfigError, type Place } from './fault.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** `${NAME}`, `${NAME:-default}`, and `$${…}` for the text `${…}`. */
const reference = /(?<escaped>\$?)\$\{(?<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?<fallback>[^}\n]*))?\}/g;

interface Reference {
  readonly whole: string;
  readonly escaped: boolean;
  readonly name: string;
  readonly fallback: string | undefined;
}

function toReference(match: RegExpMatchArray): Reference {
  const { escaped, name, fallback } = match.groups ?? {};
  return { whole: match[0], escaped: escaped === '$', name: name ?? '', fallback };
}

export function findReferences(text: string): readonly Reference[] {
  return [...text.matchAll(reference)].map(toReference).filter(({ escaped }) => !escaped);
}

/**
 * Resolves references as a shell does: with `:-` an empty variable counts as unset. Throws a ConfigError for an unset
 * one.
 */
export function interpolate(text: string, environment: Environment, place: Place): string {
  let result = '';
  let end = 0;
  for (const match of text.matchAll(reference)) {
    result += text.slice(end, match.index) + resolve(toReference(match), environment, place);
    end = match.index + match[0].length;
  }
  return result + text.slice(end);
}

function resolve(
  { whole, escaped, name, fallback }: Reference,
  environment: Environment,
  place: Place,
): string {
  if (escaped) return whole.slice(1);
  const value = environment[name];
  if (fallback !== undefined) return value === undefined || value === '' ? fallback : value;
  if (value !== undefined) return value;
  throw new ConfigError(
    `${place.source}: ${place.path} needs the variable ${name}, which is not set; allowed: set it, or write \${${name}:-default}`,
  );
}

/** The inverse of `interpolate`. */
export const escapeReferences = (text: string): string => text.replaceAll(reference, (whole) => `$${whole}`);

const first = 0xe1_00;

/**
 * Hides references from the YAML parser, for which `{ key: ${KEY} }` is invalid. Each becomes a word of private-use
 * characters of the same length, so positions in messages stay right. Only the first 2,000 references of a file are
 * replaced.
 */
export function hideReferences(text: string): {
  readonly hidden: string;
  readonly restore: (text: string) => string;
} {
  const kept: string[] = [];
  const hidden = text.replaceAll(reference, (whole: string) => {
    if (kept.length === 2000) return whole;
    kept.push(whole);
    return (
      `\uE000${String.fromCodePoint(first + kept.length - 1)}`.padEnd(whole.length - 1, '\uE002') + '\uE001'
    );
  });
  const restore = (value: string): string =>
    value.replaceAll(/\uE000([\uE100-\uF8FF])\uE002*\uE001/g, (whole: string, letter: string) => {
      return kept[(letter.codePointAt(0) ?? 0) - first] ?? whole;
    });
  return { hidden, restore };
}
