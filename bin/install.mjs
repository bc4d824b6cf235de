// Installs what is missing, so that `npm start` and `npm test` work on a fresh clone. Runs before anything is
// installed, on whatever Node the machine has: no dependencies, no TypeScript.
import { spawnSync } from 'node:child_process';
import { existsSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { needsBuild, source } from './console-source.mjs';
import { installPackages, removeUnused, root } from './packages.mjs';

const [isInstalled] = await Promise.all([
  installPackages(root, {
    withDev: process.argv.includes('--dev'),
    told: 'Installing packages (once; about a minute on a slow line) …\n',
  }),
  // At the same time: an installation waits for the disk and the line half of its time. `bin/console.mjs`, which comes
  // next, says what is wrong where this fails.
  !needsBuild() || installPackages(source, { withDev: true, told: '' }),
]);
if (!isInstalled) {
  process.stderr.write('nestor: installing failed; see the lines above\n');
  process.exit(1);
}
removeUnused(root);

// A packaged Node may not run here (musl): then the machine's own has to do, and must be found first.
const link = join(root, 'node_modules', '.bin', 'node');
if (process.platform !== 'win32' && existsSync(link) && spawnSync(link, ['--version']).status !== 0)
  unlinkSync(link);

const pinned = ['node', 'node.cmd'].some((name) => existsSync(join(root, 'node_modules', '.bin', name)));
if (!pinned && Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `nestor: needs Node 24 or newer, this is ${process.versions.node}, and no packaged Node exists for ${process.platform}-${process.arch}\n`,
  );
  process.exit(1);
}
