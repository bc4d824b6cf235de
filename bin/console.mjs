// Builds the web console when its source has changed since the last build, or was never built. A server without its
// console works, so a start goes on when this fails; `--strict` ends with 1 instead.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages, pinnedNode, root } from './packages.mjs';

const source = join(root, 'console');
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

function hashOfSource() {
  const hash = createHash('sha256');
  for (const { name, path } of filesOf(source))
    hash.update(`${name}\0`).update(readFileSync(path)).update('\0');
  return hash.digest('hex');
}

function isBuilt(hash) {
  return existsSync(mark) && readFileSync(mark, 'utf8') === hash;
}

function build(hash) {
  const told = 'Installing what the web console is built with (once) …\n';
  if (!installPackages(source, { withDev: true, told })) return false;
  process.stderr.write('Building the web console …\n');
  const vite = join(source, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = [vite, 'build', '--logLevel', 'warn'];
  // The pinned Node: Vite refuses some versions of Node 20.
  const { status } = spawnSync(pinnedNode(), args, { cwd: source, stdio: ['ignore', 2, 2] });
  if (status !== 0) return false;
  mkdirSync(built, { recursive: true });
  writeFileSync(mark, hash);
  return true;
}

// A published package holds the build and not the source.
if (existsSync(source)) {
  const hash = hashOfSource();
  if (!isBuilt(hash) && !build(hash)) {
    process.stderr.write('nestor: the web console could not be built; see the lines above\n');
    if (process.argv.includes('--strict')) process.exit(1);
  }
}
