import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanEnvironment, run, skipsFirstStart, startFirst } from '../support/first-start.ts';

const root = new URL('../..', import.meta.url).pathname;

test(
  'the package, installed into an empty folder, starts with npx, answers the line that it prints, and has its calibration and its sandbox',
  { skip: skipsFirstStart, timeout: 300_000 },
  async (t) => {
    const home = await mkdtemp(join(tmpdir(), 'nestor-package-'));
    t.after(() => rm(home, { recursive: true, force: true }));
    // A server of root runs the sandbox as somebody else, who has to reach what is installed.
    await chmod(home, 0o755);
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

    const nestor = async (...argv: readonly string[]) =>
      (await run('npx', ['--no-install', 'nestor', ...argv], { cwd, env })).stdout;
    const question = { type: 'noul', instructions: 'Is a refund asked for?' };
    const rows = ['Refund me', 'Where is my parcel?'].map((state, at) => ({
      state,
      question,
      answer: at === 0,
    }));
    await writeFile(join(cwd, 'rows.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
    assert.match(
      await nestor('calibrate', 'rows.jsonl'),
      /calibration\.json$/m,
      'what it is made of is read',
    );
    env['NESTOR_SANDBOX_RUNNER'] = 'pyodide';
    const { checks } = JSON.parse(await nestor('doctor', '--json')) as { checks: { name: string }[] };
    assert.deepEqual(
      checks.filter(({ name }) => name === 'sandbox'),
      [{ name: 'sandbox', status: 'ok', message: 'pyodide', advice: null }],
    );
  },
);
