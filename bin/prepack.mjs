// Makes `dist` for the published package: the source with its types taken off, and the web console. Runs before
// `npm pack`. `npm run types` checks types: here that took 14 of 17 s of CPU (measured).
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));

// A clone may have no compiler yet.
const installing = spawnSync(process.execPath, [pathOf('install.mjs'), '--dev'], { stdio: ['ignore', 2, 2] });
if (installing.status !== 0) process.exit(1);

// The console is built anew only when it has changed, and a server may be serving it now.
for (const name of readdirSync(pathOf('..')).includes('dist') ? readdirSync(pathOf('../dist')) : [])
  if (name !== 'console') rmSync(pathOf(`../dist/${name}`), { recursive: true });
const tsc = pathOf('../node_modules/.bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', pathOf('../tsconfig.package.json')], {
  // What npm prints on stdout is the name of the package.
  stdio: ['ignore', 2, 2],
});
const console = spawnSync(process.execPath, [pathOf('console.mjs'), '--strict'], { stdio: ['ignore', 2, 2] });
process.exitCode = status === 0 ? (console.status ?? 1) : (status ?? 1);
