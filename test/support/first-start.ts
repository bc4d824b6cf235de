import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestScope } from './server.ts';

export const run = promisify(execFile);

/** Why tests of a first start are left out where they may be. */
export const skipsFirstStart: string | false =
  process.env['NESTOR_TEST_ALL'] === '1'
    ? false
    : 'installs packages from the registry; set NESTOR_TEST_ALL=1 to run it';

/** The environment of somebody who has just opened a terminal: no pinned Node on the PATH, nothing from npm. */
export function cleanEnvironment(home: string): NodeJS.ProcessEnv {
  const path = (process.env['PATH'] ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE|NESTOR_|INIT_CWD)/.test(name));
  return {
    ...Object.fromEntries(kept),
    PATH: path.join(':'),
    NESTOR_PORT: '0',
    NESTOR_DATA: join(home, 'data'),
  };
}

/** A server that was started as a user would, and what it said. */
export interface FirstStart {
  readonly url: string;
  readonly rootKey: string;
  /** Ends it as Ctrl-C does, and resolves when it has said so. */
  stop(): Promise<void>;
}

/** Starts a server as a user would, reads its greeting, and runs the line that it prints. */
export async function startFirst(
  t: TestScope,
  command: readonly [string, ...string[]],
  { cwd, home }: { readonly cwd: string; readonly home: string },
): Promise<FirstStart> {
  const [file, ...args] = command;
  const child = spawn(file, args, { cwd, env: cleanEnvironment(home), detached: true });
  t.after(async () => {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (child.pid !== undefined && !hasEnded) process.kill(-child.pid, 'SIGKILL');
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const printed = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (/^curl .*\n/m.test(text)) resolve(text);
    });
    child.once('exit', (code) => {
      reject(new Error(`${command.join(' ')} ended with ${code}: ${errors}`));
    });
  });
  assert.match(printed, /serves at http:\/\/127\.0\.0\.1:\d+/);
  assert.match(printed, /engine "encoder"/);
  assert.match(printed, /Root key: svc-[\w-]{43} /);

  const line = /^curl .*$/m.exec(printed)?.[0] ?? '';
  const { stdout } = await run('sh', ['-c', `${line} -w '\\n%{http_code}'`]);
  const [body = '', status] = stdout.trim().split('\n');
  assert.equal(status, '200');
  const { answers } = JSON.parse(body) as { answers: { refund: { noul: number } } };
  assert.ok(answers.refund.noul > 0 && answers.refund.noul < 1);

  const url = /serves at (\S+)/.exec(printed)?.[1] ?? '';
  const page = await (await fetch(`${url}/console`)).text();
  const script = /src="(\/console\/assets\/[^"]+\.js)"/.exec(page)?.[1];
  assert.ok(script !== undefined, `the console is built: ${page.slice(0, 200)}`);
  assert.equal((await fetch(url + script)).status, 200);

  return {
    url,
    rootKey: /Root key: (\S+)/.exec(printed)?.[1] ?? '',
    async stop() {
      // npm may be gone before the server that it started: the last word is said when nobody holds the stream.
      const closed = once(child, 'close');
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
      await closed;
      assert.match(errors, /stopping/);
    },
  };
}
