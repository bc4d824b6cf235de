// Makes `dist` for the published package: the source with its types taken off. Runs before `npm pack`.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));

rmSync(pathOf('../dist'), { recursive: true, force: true });
const tsc = pathOf('../node_modules/.bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', pathOf('../tsconfig.package.json')], {
  // What npm prints on stdout is the name of the package.
  stdio: ['ignore', 2, 2],
});
process.exitCode = status ?? 1;
