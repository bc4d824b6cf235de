// Installs what is missing, so that `npm start` and `npm test` work on a fresh clone. Runs before anything is
// installed, on whatever Node the machine has: no dependencies, no TypeScript.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const forTests = process.argv.includes('--dev');

/** Packages of a lockfile by folder; none where the file is missing or unreadable. */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages ?? {};
  } catch {
    return {};
  }
}

/** npm keeps a lockfile of what it really installed inside node_modules. */
function isComplete() {
  const installed = packagesOf('node_modules/.package-lock.json');
  return Object.entries(packagesOf('package-lock.json')).every(([folder, wanted]) => {
    const needed = folder !== '' && !wanted.optional && !wanted.devOptional && (forTests || !wanted.dev);
    return !needed || installed[folder]?.version === wanted.version;
  });
}

if (!isComplete()) {
  process.stderr.write('Installing packages (once; about a minute on a slow line) …\n');
  const npm = process.env.npm_execpath;
  // Not `npm ci`: it refuses a lockfile that lacks packages of other platforms, which not every registry has.
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  args.push(forTests ? '--include=dev' : '--omit=dev');
  // stdout belongs to the command that comes next.
  const stdio = ['ignore', 2, 2];
  const result = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio })
    : spawnSync('npm', args, { cwd: root, stdio, shell: process.platform === 'win32' });
  if (result.status !== 0) {
    process.stderr.write('nestor: installing failed; see the lines above\n');
    process.exit(1);
  }
}

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
