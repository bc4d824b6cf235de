import { readFileSync, writeFileSync } from 'node:fs';
import { featureGraph } from '../support/house.ts';

const page = new URL('../../docs/architecture.md', import.meta.url);
const [begin, end] = ['<!-- map: npm run docs:map writes it from the imports -->', '<!-- end of the map -->'];

/** The features and what each uses, drawn from the imports: who can be reached through another has no arrow of its own. */
export function drawMap(graph: ReadonlyMap<string, readonly string[]> = featureGraph()): string {
  const reaches = (from: string, to: string): boolean =>
    (graph.get(from) ?? []).some((next) => next === to || reaches(next, to));
  const arrows = [...graph].flatMap(([from, targets]) => {
    const direct = targets.filter((to) => !targets.some((other) => other !== to && reaches(other, to)));
    return direct.length === 0 ? [`  ${from}`] : [`  ${from} --> ${direct.join(' & ')}`];
  });
  const rows = [...graph].map(([name, targets]) => `| \`${name}\` | ${targets.join(', ') || '-'} |`);
  return [
    '```mermaid',
    'flowchart TD',
    ...arrows,
    '```',
    '',
    '| Feature | Imports the `feature.ts` of |',
    '| --- | --- |',
    ...rows,
  ].join('\n');
}

/** The page with the map in its place. */
export function withMap(text: string, map: string): string {
  const [head, rest] = text.split(begin);
  const tail = rest?.split(end)[1];
  if (head === undefined || tail === undefined)
    throw new Error('docs/architecture.md has no place for the map');
  return `${head}${begin}\n\n${map}\n\n${end}${tail}`;
}

if (import.meta.main) writeFileSync(page, withMap(readFileSync(page, 'utf8'), drawMap()));
