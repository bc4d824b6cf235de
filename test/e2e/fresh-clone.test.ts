import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = new URL('../..', import.meta.url).pathname;

/** The environment of somebody who has just opened a terminal: no pinned Node on the PATH, nothing from npm. */
function cleanEnvironment(home: string): NodeJS.ProcessEnv {
  const path = (process.env['PATH'] ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE|NESTOR_|INIT_CWD)/.test(name));
  return {
    ...Object.fromEntries(kept),
    PATH: path.join(':'),
    NESTOR_PORT: '0',
    NESTOR_DATA: join(home, 'data'),
  };
}

const reason = 'installs packages from the registry; set NESTOR_TEST_ALL=1 to run it';

test(
  'a fresh clone answers the line that npm start prints',
  { skip: process.env['NESTOR_TEST_ALL'] === '1' ? false : reason, timeout: 300_000 },
  async (t) => {
    const home = await mkdtemp(join(tmpdir(), 'nestor-clone-'));
    t.after(() => rm(home, { recursive: true, force: true }));
    const clone = join(home, 'nestor');
    await run('git', ['clone', '--quiet', root, clone]);
    const npm = spawn('npm', ['start'], { cwd: clone, env: cleanEnvironment(home), detached: true });
    t.after(() => {
      if (npm.pid !== undefined && npm.exitCode === null) process.kill(-npm.pid, 'SIGKILL');
    });
    let errors = '';
    npm.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const printed = await new Promise<string>((resolve, reject) => {
      let text = '';
      npm.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (/^curl .*\n/m.test(text)) resolve(text);
      });
      npm.once('exit', (code) => {
        reject(new Error(`npm start ended with ${code}: ${errors}`));
      });
    });
    assert.match(printed, /serves at http:\/\/127\.0\.0\.1:\d+/);
    assert.match(printed, /engine "baseline"/);
    assert.match(printed, /Root key: svc-[\w-]{43} /);

    const line = /^curl .*$/m.exec(printed)?.[0] ?? '';
    const { stdout } = await run('sh', ['-c', `${line} -w '\\n%{http_code}'`]);
    const [body = '', status] = stdout.trim().split('\n');
    assert.equal(status, '200');
    const { answers } = JSON.parse(body) as { answers: { refund: { noul: number } } };
    assert.ok(answers.refund.noul > 0 && answers.refund.noul < 1);

    if (npm.pid !== undefined) process.kill(-npm.pid, 'SIGTERM');
    await once(npm, 'exit');
    assert.match(errors, /stopping/);
  },
);
