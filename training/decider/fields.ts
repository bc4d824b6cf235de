import { readFileSync } from 'node:fs';

import type { Pool } from './pools.ts';

/** `# name | other names`, then one text a line. */
export function parseFields(text: string): Pick<Pool, 'labels' | 'rows'> {
  const blocks = text.split(/^# /m).slice(1);
  const lines = blocks.map((block) => block.trim().split('\n'));
  return {
    labels: lines.map(([head = '']) => formsOf(head.split(' | '))),
    rows: lines.flatMap(([, ...texts], label) => texts.map((said) => [said, label] as const)),
  };
}

export const readFields = (path: string): Pool => ({
  name: 'fields',
  source: 'training/decider/fields.txt',
  licence: 'Nestor’s own',
  ...parseFields(readFileSync(path, 'utf8')),
});

/** The bare name first, then as people write it in a list and say it in a sentence. */
const formsOf = ([name = '', ...others]: readonly string[]): readonly string[] => [
  name,
  ...others,
  `${name[0]?.toUpperCase() ?? ''}${name.slice(1)}`,
  `It is about ${name}.`,
  `The topic is ${others[0] ?? name}`,
];
