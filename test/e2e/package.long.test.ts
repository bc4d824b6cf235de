import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanEnvironment, run, skipsFirstStart, startFirst } from '../support/first-start.ts';

const root = new URL('../..', import.meta.url).pathname;

test(
  'the package, installed into an empty folder, starts with npx and answers the line that it prints',
  { skip: skipsFirstStart, timeout: 300_000 },
  async (t) => {
    const home = await mkdtemp(join(tmpdir(), 'nestor-package-'));
    t.after(() => rm(home, { recursive: true, force: true }));
    const { stdout: packed } = await run('npm', ['pack', '--json', '--pack-destination', home], {
      cwd: root,
    });
    const files = new Set(
      (JSON.parse(packed) as { files: { path: string }[] }[]).flatMap((one) =>
        one.files.map(({ path }) => path),
      ),
    );
    for (const path of [
      'bin/nestor.mjs',
      'dist/main.js',
      'dist/console/index.html',
      'assets/guide-vectors.bin',
      'assets/word-vectors.bin',
      'docs/guide/getting-started.md',
      'docs/reference/index.md',
    ])
      assert.ok(files.has(path), path);
    const unwanted = [...files].filter((path) =>
      /\.ts$|\.test\.|\.fixture\.|^(?:src|test|bench|training|console)\//.test(path),
    );
    assert.deepEqual(unwanted, []);

    const archive = (await readdir(home)).find((name) => name.endsWith('.tgz')) ?? '';
    const cwd = join(home, 'empty');
    await mkdir(cwd);
    const env = cleanEnvironment(home);
    await run('npm', ['install', '--no-audit', '--no-fund', join(home, archive)], { cwd, env });
    const server = await startFirst(
      { after: (close) => t.after(close) },
      ['npx', '--no-install', 'nestor-server', 'serve'],
      { cwd, home },
    );
    await server.stop();
  },
);
