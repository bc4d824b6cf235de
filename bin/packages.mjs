// Installs packages that a lockfile names and a folder lacks. Runs before anything is installed, on whatever Node the
// machine has: no dependencies, no TypeScript.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Packages of a lockfile by folder; none where the file is missing or unreadable. */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
  } catch {
    return {};
  }
}

/** npm keeps a lockfile of what it really installed inside node_modules. */
function isComplete(folder, withDev) {
  const installed = packagesOf(join(folder, 'node_modules', '.package-lock.json'));
  return Object.entries(packagesOf(join(folder, 'package-lock.json'))).every(([place, wanted]) => {
    const needed = place !== '' && !wanted.optional && !wanted.devOptional && (withDev || !wanted.dev);
    return !needed || installed[place]?.version === wanted.version;
  });
}

/** Resolves to whether the packages of a folder are there then; `told` is printed when they have to be fetched. */
export async function installPackages(folder, { withDev, told }) {
  if (isComplete(folder, withDev)) return true;
  process.stderr.write(told);
  const npm = process.env.npm_execpath;
  // Not `npm ci`: it refuses a lockfile that lacks packages of other platforms, which not every registry has.
  // No scripts of packages: none that Nestor runs on needs one, and they would run with the rights of whoever installs.
  const args = ['install', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  args.push(withDev ? '--include=dev' : '--omit=dev');
  // stdout belongs to the command that comes next.
  const options = { cwd: folder, stdio: ['ignore', 2, 2] };
  const child = npm
    ? spawn(process.execPath, [npm, ...args], options)
    : spawn('npm', args, { ...options, shell: process.platform === 'win32' });
  // Without npm there is an error in place of an end.
  const [status] = await once(child, 'close').catch(() => [null]);
  return status === 0;
}

/** The Node that is installed with Nestor, else the one that runs this. */
export function pinnedNode() {
  const names = ['node', 'node.cmd'].map((name) => join(root, 'node_modules', '.bin', name));
  return names.find((path) => existsSync(path)) ?? process.execPath;
}

/**
 * What of a package a server runs on. `onnxruntime-web` holds every backend of every browser, in 139 MB: in Node one
 * entry and one binary of them are used.
 */
const used = {
  'onnxruntime-web': [
    'package.json',
    'README.md',
    'dist/ort.node.min.mjs',
    'dist/ort-wasm-simd-threaded.mjs',
    'dist/ort-wasm-simd-threaded.wasm',
  ],
  'onnxruntime-common': ['package.json', 'README.md', /^dist\/(?:esm|cjs)\/[^.]+\.(?:js|json)$/],
};

/** Removes what nothing of ours loads from packages that are mostly that. */
export function removeUnused(folder) {
  for (const [name, kept] of Object.entries(used)) {
    const place = join(folder, 'node_modules', name);
    if (!existsSync(place)) continue;
    for (const entry of readdirSync(place, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      const path = relative(place, file).split(sep).join('/');
      const isKept = kept.some((one) => (typeof one === 'string' ? one === path : one.test(path)));
      if (!entry.isDirectory() && !isKept) rmSync(file);
    }
  }
}
