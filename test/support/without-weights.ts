import { existsSync, readFileSync } from 'node:fs';

type Variables = Readonly<Record<string, string | undefined>>;

/** What `auto` would find weights for, and what is taken in its place. */
const light = { DECISIONS: 'words', EMBEDDINGS: 'words' } as const;

/**
 * Variables that keep a start from reading the weights that ship, a second of CPU, where neither variables nor the
 * configuration file name what is to answer. Tests of the defaults themselves set `NESTOR_DECISIONS_ENGINE: auto`.
 * Servers in the process of a test have `withEncoder` instead.
 */
export function withoutWeights(env: Variables, file = ''): Readonly<Record<string, string>> {
  const isNamed = (section: string) =>
    ['ENGINE', 'PATH', 'UPSTREAMS'].some((key) => env[`NESTOR_${section}_${key}`] !== undefined) ||
    new RegExp(`^\\W*${section.toLowerCase()}\\W`, 'm').test(file);
  return Object.fromEntries(
    Object.entries(light)
      .filter(([section]) => !isNamed(section))
      .map(([section, engine]) => [`NESTOR_${section}_ENGINE`, engine]),
  );
}

/** A configuration file that may be there. */
export const readIfThere = (path: string | undefined): string =>
  path !== undefined && existsSync(path) ? readFileSync(path, 'utf8') : '';
