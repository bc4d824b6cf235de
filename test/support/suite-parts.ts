import { globSync, readFileSync } from 'node:fs';
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

/** Rounds of `support/rounds.ts` are more in the long run. */
function isLong(path: string): boolean {
  return onlyLong.test(path) || readFileSync(root + path, 'utf8').includes("support/rounds.ts'");
}

function find(globs: readonly string[]): string[] {
  const paths = globs.flatMap((glob) => globSync(glob, { cwd: root }).sort());
  return [...new Set(paths.map((path) => path.replaceAll('\\', '/')))];
}
