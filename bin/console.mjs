// Builds the web console when its source has changed since the last build, or was never built. A server without its
// console works, so a start goes on when this fails; `--strict` ends with 1 instead.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hashOfSource, isBuilt, markBuilt, source } from './console-source.mjs';
import { installPackages, pinnedNode } from './packages.mjs';

async function build(hash) {
  const told = 'Installing what the web console is built with (once) …\n';
  if (!(await installPackages(source, { withDev: true, told }))) return false;
  process.stderr.write('Building the web console …\n');
  const vite = join(source, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = [vite, 'build', '--logLevel', 'warn'];
  // The pinned Node: Vite refuses some versions of Node 20.
  const { status } = spawnSync(pinnedNode(), args, { cwd: source, stdio: ['ignore', 2, 2] });
  if (status === 0) markBuilt(hash);
  return status === 0;
}

// A published package holds the build and not the source.
if (existsSync(source)) {
  const hash = hashOfSource();
  if (!isBuilt(hash) && !(await build(hash))) {
    process.stderr.write('nestor: the web console could not be built; see the lines above\n');
    if (process.argv.includes('--strict')) process.exit(1);
  }
}
