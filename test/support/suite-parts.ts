import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Parts that can be run alone. A file may be in two of them; what is in none is in `server`. */
const patterns = {
  console: ['test/console/**/*.test.ts'],
  store: ['test/storage/**/*.test.ts', 'src/kernel/store/**/*.test.ts', 'src/features/*/store/**/*.test.ts'],
  clients: ['test/clients/**/*.test.ts', 'test/mcp/**/*.test.ts'],
  server: ['test/*/**/*.test.ts'],
  unit: ['src/**/*.test.ts', 'console/src/**/*.test.ts', 'training/**/*.test.ts', 'test/*.test.ts'],
} as const;

/** Run by `npm run test:long` alone. */
const onlyLong = /\.long\.test\.ts$/;

export const partNames = [...Object.keys(patterns), 'long'];

/** The files of a part in the order in which they begin; `all` is `npm test`. Paths are relative to the root. */
export function filesOf(part: string): string[] {
  if (part === 'long') return find(Object.values(patterns).flat()).filter(isLong);
  const chosen = Object.entries(patterns).filter(([name]) => part === 'all' || part === name);
  return find(chosen.flatMap(([, globs]) => globs)).filter((path) => !onlyLong.test(path));
}

/** Rounds of `support/rounds.ts` are more in the long run, and measurements of growth longer. */
function isLong(path: string): boolean {
  return (
    onlyLong.test(path) || /support\/(?:rounds|growth|looks)\.ts'/.test(readFileSync(root + path, 'utf8'))
  );
}

/** Most files that share a process, which saves the start of most: loading a server takes a second of CPU time. */
const batchSize = 16;
/**
 * Those without a server share as few processes as there are cores: they wait little, and most of what they cost is loading
 * the same modules. All of them took 85 s of CPU time eight to a process and 54 s in three, later 43 in four and 37 in two
 * (measured).
 */
export const hasServer = /^test\/[^/]+\//;

/** What changes its process, or measures it, has one of its own. */
const changesProcess =
  /process\.env\[(?:'\w+'|\w+)\] \??\??=(?!=)|Object\.assign\(process\.env|process\.(?:chdir|memoryUsage|getActiveResourcesInfo)\b|monitorEventLoopDelay/;

/** Those that open models in ONNX form: a process that has compiled their runtime opens the next one for a third. */
const onnx =
  /^test\/(?:clients\/named-deciders|commands\/(?:deciders|demo)|contract\/learned-deciders|docs\/reference|embeddings\/(?:conformance|encoder|onnx)|engines\/(?:encoder|injection|onnx)[\w-]*|evaluation\/(?:guarantee-\w+|learn|people)|models\/(?:likeness|onnx)|search\/(?:chain|embed-stale|guide-vectors))\./;

/** Those that share a PostgreSQL. */
const postgres =
  /^test\/(?:agent\/(?:endings|kill-conversation|store)|commands\/(?:backup|transfer|worker)|contract\/(?:account|account-isolation|admin|admin-deletion|admin-index)|e2e\/(?:accounts|jobs|kill-account-removal|kill-learning|shared-store|worker-kill)|search\/readmes-postgres|storage\/(?:buckets|transfer))\./;

/**
 * Files of one process, which share what is dear: a compiled runtime, the browser's driver, the state from which Pyodide
 * starts, a PostgreSQL. They take the longest of all, and begin before others.
 */
const together = [
  { files: onnx, processesMax: 1 },
  { files: /^test\/(?:console\/|docs\/site\.)/, processesMax: 2 },
  { files: /^test\/sandbox\/(?:escapes|pyodide)\./, processesMax: 1 },
  { files: postgres, processesMax: 2 },
];

/**
 * More than 10 s of CPU time each on a busy machine (measured): they begin first, so that no run ends with one of them
 * on one core.
 */
const longest =
  /^test\/(?:docs\/examples|engines\/local|contract\/matrix|models\/installed|embeddings\/local|commands\/index|e2e\/(?:full-disk|large-bodies|kill-accounts)|search\/(?:embed-kill|pages-hostile)|growth\/expressions)\./;

/**
 * More than 60 s each in the long run alone, where they do more than in the usual one. There they begin before all others and
 * share no process: three came one after the other in one that shares a PostgreSQL.
 */
const longestOfLong =
  /^test\/(?:contract\/account-isolation|e2e\/(?:fresh-clone|jobs|kill-batches|kill-learning|package|smollm2)|search\/readmes\.long)\./;

/** Groups the files by process. */
export function batchesOf(paths: readonly string[], cores: number): string[][] {
  const isLongRun = process.env['NESTOR_TEST_LONG'] === '1';
  const [longOfLong, rest] = isLongRun
    ? [paths.filter((path) => longestOfLong.test(path)), paths.filter((path) => !longestOfLong.test(path))]
    : [[], paths];
  const first = longOfLong.map((path) => [path]);
  const long: string[][] = [];
  const alone: string[][] = [];
  const shared: string[] = [];
  const left = new Set(rest);
  for (const { files, processesMax } of together) {
    const some = rest.filter((path) => files.test(path));
    for (const path of some) left.delete(path);
    first.push(...deal(some, Math.min(some.length, processesMax)));
  }
  for (const path of left) {
    if (longest.test(path)) long.unshift([path]);
    else if (changesProcess.test(readFileSync(resolve(root, path), 'utf8'))) alone.push([path]);
    else shared.push(path);
  }
  const servers = shared.filter((path) => hasServer.test(path));
  const others = shared.filter((path) => !hasServer.test(path));
  const fewest = (count: number) => Math.ceil(count / batchSize);
  return [
    // While the console is built, which the others need.
    ...deal(others, Math.min(cores, fewest(others.length))),
    ...first,
    ...long,
    ...deal(servers, fewest(servers.length)),
    // The shortest are left for the end, where some processes have nothing to do any more.
    ...alone,
  ];
}

/** So that the long ones, which stand first, begin first and each in another process. */
function deal(paths: readonly string[], count: number): string[][] {
  return Array.from({ length: count }, (_, at) => paths.filter((_, index) => index % count === at));
}

function find(globs: readonly string[]): string[] {
  const paths = globs.flatMap((glob) => globSync(glob, { cwd: root }).sort());
  return [...new Set(paths.map((path) => path.replaceAll('\\', '/')))];
}
