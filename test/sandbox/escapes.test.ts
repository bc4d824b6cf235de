import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type ListenOptions, type Server } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { SandboxResult } from '../../src/features/sandbox/runner.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { isLongRun, variationsOf } from '../support/rounds.ts';
import { until } from '../support/until.ts';
import { prelude, type Attempt, type Host } from './escape.ts';
import { attempts } from './escapes.ts';
import { tryRunner, type Tried } from './support.ts';

/** What code prints between two attempts. */
const between = 'the next attempt';
const secret = `secret-${process.pid}-${Math.trunc(performance.timeOrigin)}`;

for (const name of ['bubblewrap', 'pyodide'] as const)
  test(`${name}: no attempt to break out succeeds, and the server does not feel it`, async (t) => {
    const tried = await tryRunner(name, t);
    if (tried === null) return;
    process.env['NESTOR_TEST_SECRET'] = secret;
    t.after(() => delete process.env['NESTOR_TEST_SECRET']);
    const { host, reached } = await prepareHost(t);
    const before = { cpu: process.cpuUsage(), at: performance.now(), memory: process.memoryUsage().rss };
    // A run of Pyodide costs two seconds of CPU time, one of bubblewrap a tenth.
    const tries = name === 'pyodide' ? variationsOf(attemptsOn(name), 8) : attemptsOn(name);
    for (const group of name === 'pyodide' ? grouped(tries) : tries.map((attempt) => [attempt]))
      await t.test(group.map(({ name: title }) => title).join(', '), async () => {
        const { stdout, ...result } = await tryOut(tried, group, host, name);
        const parts = group.length === 1 ? [stdout] : stdout.split(`${between}\n`);
        assert.equal(parts.length, group.length, stdout);
        for (const [at, attempt] of group.entries()) judge(attempt, { ...result, stdout: parts[at] ?? '' });
        assert.deepEqual(reached, []);
        // The kernel has killed it by now, and takes it off its list when it gets to it.
        await until(() => leftOf(`${host.abstractName}-left`).length === 0, 'a process is left');
      });
    assert.equal((await tried.run('print(6 * 7)')).stdout, '42\n', 'the sandbox is left as it was');
    const { user, system } = process.cpuUsage(before.cpu);
    const share = (user + system) / 1_000 / (performance.now() - before.at);
    assert.ok(share < 0.5, `the server spent ${share} of its time on it`);
    assert.ok(process.memoryUsage().rss - before.memory < 300_000_000);
    assert.deepEqual(children(), []);
  });

test('there are at least 40 attempts, and each runner has 20', () => {
  assert.ok(attempts.length >= 40);
  for (const name of ['bubblewrap', 'pyodide'] as const) assert.ok(attemptsOn(name).length >= 20);
});

function attemptsOn(name: string): readonly Attempt[] {
  return attempts.filter(({ runners }) => runners?.includes(name) ?? true);
}

/** Attempts that only ask the system for something share a process: they leave it as it is for the next one that asks. */
function grouped(tries: readonly Attempt[]): readonly (readonly Attempt[])[] {
  const canShare = ({ expect, caps, language, runners }: Attempt) =>
    expect === 'refused' && caps === undefined && language === undefined && runners === undefined;
  const shared = tries.filter(canShare);
  const alone = tries.filter((attempt) => !canShare(attempt)).map((attempt) => [attempt]);
  return shared.length === 0 ? alone : [shared, ...alone];
}

function tryOut({ run }: Tried, group: readonly Attempt[], host: Host, name: string): Promise<SandboxResult> {
  const [{ language = 'python', caps = {} } = {}] = group;
  // Bubblewrap's code begins at once; Pyodide needs more before its own.
  const isCut = name === 'bubblewrap' && !isLongRun && caps.cpuMs !== undefined;
  const code = group.map((attempt) => attempt.code(host)).join(`\nprint('${between}')\n`);
  return run(
    language === 'python' ? `${prelude}\n${code}` : code,
    { language },
    isCut ? { ...caps, cpuMs: 1_000 } : caps,
  );
}

function judge({ expect }: Attempt, result: SandboxResult): void {
  const { status, stdout, stderr, files } = result;
  const all = `${stdout}\n${stderr}`;
  assert.ok(!all.includes(secret), all);
  assert.doesNotMatch(stdout, /ESCAPED/);
  for (const { path, bytes } of files) {
    assert.doesNotMatch(path, /(^|\/)\.\.?(\/|$)|^\/|\p{Cc}|\\/u);
    assert.ok(!Buffer.from(bytes).includes(secret));
  }
  if (expect === 'ended') {
    assert.notEqual(status, 'completed', all);
    return;
  }
  assert.equal(status, 'completed', all);
  assert.match(stdout, expect === 'refused' ? /^(refused .*\n)+$/ : /^(saw|refused) /m);
}

interface Prepared {
  readonly host: Host;
  /** Which of the sockets of the host somebody came to. */
  readonly reached: string[];
}

async function prepareHost(t: TestContext): Promise<Prepared> {
  const folder = await temporaryFolder(t);
  await chmod(folder, 0o755);
  const file = join(folder, 'bait');
  await writeFile(file, secret);
  const reached: string[] = [];
  const open = (name: string, options: ListenOptions) => listen(t, options, () => reached.push(name));
  const tcp = await open('tcp', { port: 0, host: '::' });
  const socketPath = join(folder, 'socket');
  await open('path', { path: socketPath });
  await chmod(socketPath, 0o777);
  const abstractName = `nestor-test-${process.pid}`;
  if (process.platform === 'linux') await open('abstract', { path: `\0${abstractName}` });
  const udp = createSocket('udp4').bind(0, '127.0.0.1');
  await once(udp, 'listening');
  udp.on('message', () => reached.push('udp'));
  t.after(() => udp.close());
  const host: Host = {
    file,
    folder,
    pid: process.pid,
    tcpPort: (tcp.address() as AddressInfo).port,
    udpPort: udp.address().port,
    socketPath,
    abstractName,
  };
  return { host, reached };
}

async function listen(t: TestContext, options: ListenOptions, onConnection: () => void): Promise<Server> {
  const server = createServer((socket) => {
    onConnection();
    socket.end(secret);
  });
  server.listen(options);
  await once(server, 'listening');
  t.after(() => server.close());
  return server;
}

/** Processes of the host with a word in their command line. */
function leftOf(word: string): readonly string[] {
  return readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && read(`/proc/${pid}/cmdline`).startsWith(word),
  );
}

function children(): readonly string[] {
  return readdirSync('/proc/self/task').flatMap((thread) =>
    read(`/proc/self/task/${thread}/children`)
      .split(' ')
      .filter((pid) => pid.trim() !== ''),
  );
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
