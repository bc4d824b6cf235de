import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const packages = new URL('../../bin/packages.mjs', import.meta.url);
const lockfile = new URL('../../package-lock.json', import.meta.url);

test('installing runs no script of a package', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-install-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const part = join(folder, 'part');
  await mkdir(part);
  const write = (path: string, value: object) => writeFile(path, JSON.stringify(value));
  await write(join(folder, 'package.json'), { name: 'whole', dependencies: { part: 'file:part' } });
  await write(join(part, 'package.json'), {
    name: 'part',
    version: '1.0.0',
    scripts: { postinstall: 'node ran.mjs' },
  });
  await writeFile(
    join(part, 'ran.mjs'),
    "import { writeFileSync } from 'node:fs'; writeFileSync('ran', '');",
  );
  await write(join(folder, 'package-lock.json'), {
    name: 'whole',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'whole', dependencies: { part: 'file:part' } },
      'node_modules/part': { resolved: 'part', link: true },
      part: { version: '1.0.0', hasInstallScript: true },
    },
  });
  const code = `import { installPackages } from ${JSON.stringify(packages.href)};
    process.exitCode = (await installPackages(${JSON.stringify(folder)}, { withDev: false, told: '' })) ? 0 : 1;`;
  assert.equal(spawnSync(process.execPath, ['--input-type=module', '-e', code]).status, 0);
  assert.deepEqual((await readdir(part)).toSorted(), ['package.json', 'ran.mjs']);
});

test('no package that Nestor needs brings an install script', async () => {
  const { packages } = JSON.parse(await readFile(lockfile, 'utf8')) as {
    readonly packages: Record<string, { readonly hasInstallScript?: true; readonly dev?: true }>;
  };
  const withScripts = Object.entries(packages).filter(([, one]) => one.hasInstallScript && !one.dev);
  // It looks whether the binaries that came as packages of their own fit, and builds none where they do.
  assert.deepEqual(
    withScripts.map(([place]) => place),
    ['node_modules/node-llama-cpp'],
  );
});
