import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { importsOf } from './imports.ts';

/** The rules of the house as data and functions; `docs/architecture.md` says them in words. */

export const source = new URL('../../src/', import.meta.url);

/** Folders of like members: members never import each other, and others reach them through the family's own files. */
export const families: readonly string[] = [
  // Before the one that it lies in.
  'features/decisions/engines/onnx/adapters',
  'features/decisions/engines',
  'features/embeddings/engines',
  'features/models/providers',
  'features/sandbox/runners',
  'features/search/engines',
  'features/search/finance',
  'features/tools',
];

export const linesMax = 400;

/** Files that import what only the operator knows: packages named in the configuration. */
export const importsByName: readonly string[] = [
  'features/models/onnx/library.ts',
  'features/models/providers/ai-sdk/load.ts',
];

/** `decisions`, `kernel`, or the name of a file at the top. */
export function ownerOf(path: string): string {
  const [first = '', second = ''] = path.split('/');
  return first === 'features' ? second : first;
}

/** Every source file but tests, relative to `src`. */
export function sourceFiles(): readonly string[] {
  return globSync('**/*.ts', { cwd: source })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !isTest(path))
    .toSorted();
}

export function isTest(path: string): boolean {
  return /\.(?:test|fixture)\.ts$/.test(path);
}

/** Files that a file imports, in every form of import, types included. */
export function targetsOf(path: string, text = readFileSync(new URL(path, source), 'utf8')): string[] {
  return importsOf(text).imports.flatMap((specifier) =>
    specifier?.startsWith('.') ? [posix.normalize(posix.join(posix.dirname(path), specifier))] : [],
  );
}

/** Why one file may not import another; null where it may. */
export function refusal(from: string, to: string): string | null {
  if (to.startsWith('..')) return 'only src is imported';
  const [owner, target] = [ownerOf(from), ownerOf(to)];
  if (owner === target) return refusalWithin(from, to);
  if (target === 'kernel') return null;
  if (owner === 'kernel') return 'the kernel knows no feature';
  if (to === 'commands.ts') return from === 'main.ts' ? null : 'only main.ts imports commands.ts';
  if (to === 'configuration.ts') return from === 'main.ts' ? null : 'only main.ts imports configuration.ts';
  if (to === 'server.ts') return from === 'main.ts' ? null : 'only main.ts imports server.ts';
  if (to === 'main.ts') return 'nothing imports main.ts';
  if (from === 'configuration.ts' && isDeclaration(target, to)) return null;
  if (
    from === 'main.ts' &&
    to.startsWith(`features/${target}/`) &&
    /^features\/[^/]+\/[^/]+-tools\.ts$/.test(to)
  )
    return null;
  if (from === 'commands.ts' && to === `features/${target}/commands/index.ts`) return null;
  if (from === 'configuration.ts') return 'configuration.ts imports what the features declare of it';
  return to === `features/${target}/feature.ts` ? null : 'features meet only through feature.ts';
}

/** What a feature declares of the configuration: its keys, and the families that they follow from. */
function isDeclaration(feature: string, path: string): boolean {
  return path === `features/${feature}/config.ts` || families.some((family) => path === `${family}/index.ts`);
}

function refusalWithin(from: string, to: string): string | null {
  const owner = ownerOf(from);
  if (to === `features/${owner}/feature.ts`) return 'a feature does not import its own face';
  const [member, target] = [memberOf(from), memberOf(to)];
  if (member === target) return null;
  if (member !== null && target !== null && posix.dirname(member) === posix.dirname(target))
    return 'siblings of a family never import each other';
  if (member !== null && to === `${posix.dirname(member)}/index.ts`)
    return 'a member does not know the list it is in';
  return null;
}

/** `features/decisions/engines/words` for every file below it; null outside families. */
export function memberOf(path: string): string | null {
  const family = families.find((name) => path.startsWith(`${name}/`));
  if (family === undefined) return null;
  const [member = '', ...rest] = path.slice(family.length + 1).split('/');
  return rest.length === 0 ? null : `${family}/${member}`;
}

/** Every circle of a graph, each as its nodes in order of name. */
export function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const reached = new Map<string, Set<string>>();
  const reach = (from: string): Set<string> => {
    const known = reached.get(from);
    if (known !== undefined) return known;
    const found = new Set<string>();
    const open = [...(graph.get(from) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(...(graph.get(next) ?? []));
    }
    reached.set(from, found);
    return found;
  };
  const circles = new Map<string, string[]>();
  for (const node of graph.keys()) {
    if (!reach(node).has(node)) continue;
    const circle = [...reach(node)].filter((other) => reach(other).has(node)).toSorted();
    circles.set(circle.join(), circle);
  }
  return [...circles.values()];
}

/** Which features each feature imports, in order of name. */
export function featureGraph(): ReadonlyMap<string, readonly string[]> {
  const graph = new Map<string, Set<string>>();
  for (const path of sourceFiles()) {
    if (!path.startsWith('features/')) continue;
    const owner = ownerOf(path);
    const targets = graph.get(owner) ?? new Set();
    graph.set(owner, targets);
    for (const to of targetsOf(path)) {
      const target = ownerOf(to);
      if (target !== owner && target !== 'kernel') targets.add(target);
    }
  }
  return new Map([...graph].map(([name, targets]) => [name, [...targets].toSorted()] as const));
}
