// The web console's source, and whether what was built of it is still it. Read before anything is installed, on whatever
// Node the machine has: no dependencies, no TypeScript.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './packages.mjs';

export const source = join(root, 'console');
const built = join(root, 'dist', 'console');
const mark = join(built, 'source.sha256');

/** Every file that the build depends on, by its path below `console`. */
function filesOf(folder, prefix = '') {
  return readdirSync(folder)
    .filter((name) => name !== 'node_modules')
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory()
        ? filesOf(path, `${prefix}${name}/`)
        : [{ name: prefix + name, path }];
    });
}

export function hashOfSource() {
  const hash = createHash('sha256');
  for (const { name, path } of filesOf(source))
    hash.update(`${name}\0`).update(readFileSync(path)).update('\0');
  return hash.digest('hex');
}

export const isBuilt = (hash) => existsSync(mark) && readFileSync(mark, 'utf8') === hash;

export function markBuilt(hash) {
  mkdirSync(built, { recursive: true });
  writeFileSync(mark, hash);
}

/** A published package holds the build and not the source. */
export const needsBuild = () => existsSync(source) && !isBuilt(hashOfSource());
