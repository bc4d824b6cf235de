import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite, test } from 'node:test';
import { commands } from '../../src/commands.ts';
import { putStore } from '../support/made-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { spawnNestor } from './support.ts';

const entry = fileURLToPath(new URL('../../bin/nestor.mjs', import.meta.url));

function start(argv: readonly string[], env: Readonly<Record<string, string>>) {
  return spawn(process.execPath, [entry, ...argv], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk.toString();
  return text;
}

suite('nestor as a process', () => {
  test('--help lists every command in groups, --version tells the version, a typo is answered with what was meant', async () => {
    const [all, short, about, told, typo, strange] = await Promise.all([
      spawnNestor(['--help'], {}),
      spawnNestor(['help'], {}),
      spawnNestor(['help', 'search'], {}),
      spawnNestor(['--version'], {}),
      spawnNestor(['serach'], {}),
      spawnNestor(['gargle'], {}),
    ]);
    for (const { name } of commands) assert.match(all.out, new RegExp(`^  nestor ${name} `, 'm'));
    for (const line of all.out.split('\n')) assert.ok(line.length <= 120, line);
    assert.equal(short.out, all.out);
    for (const argv of [
      ['help', 'help'],
      ['--help', '--help'],
      ['-h', '--json'],
    ])
      assert.deepEqual(await spawnNestor(argv, {}), all, argv.join(' '));
    assert.match(about.out, /^nestor search QUERY: /);
    assert.match(told.out, /^\d+\.\d+\.\d+\n$/);
    const unknown = 'nestor: Unknown command "serach". Did you mean search? Try: nestor --help\n';
    assert.deepEqual(typo, { code: 2, out: '', err: unknown });
    assert.equal(strange.err, 'nestor: Unknown command "gargle". Try: nestor --help\n');
  });

  test('a variable without a value for what was compiled leaves nothing in the folder', async (t) => {
    const cwd = await temporaryFolder(t);
    const child = spawn(process.execPath, [entry, '--version'], {
      cwd,
      env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: '' },
      stdio: 'ignore',
    });
    assert.deepEqual(await once(child, 'exit'), [0, null]);
    assert.deepEqual(readdirSync(cwd), []);
  });

  test('options without a command are those of serve, and a wrong configuration is 2', async (t) => {
    const NESTOR_DATA = await temporaryFolder(t);
    const port = await spawnNestor(['--port', '1'], { NESTOR_DATA });
    assert.equal(port.code, 2);
    assert.match(
      port.err,
      /^nestor: Unknown option '--port'\. It is a key of the configuration: set NESTOR_PORT/,
    );
    const wrong = await spawnNestor(['serve'], { NESTOR_DATA, NESTOR_PORT: 'x' });
    assert.deepEqual([wrong.code, wrong.out], [2, '']);
    assert.match(wrong.err, /^nestor: NESTOR_PORT: [^\n]+\n$/);
  });

  test('a reader that goes ends a command quietly', async (t) => {
    const NESTOR_DATA = await temporaryFolder(t);
    for (const argv of [['config', '--schema'], ['--help']]) {
      const child = start(argv, { NESTOR_DATA });
      child.stdout.destroy();
      const err = readAll(child.stderr);
      const [code] = (await once(child, 'exit')) as [number | null];
      assert.deepEqual([code, await err], [0, ''], argv.join(' '));
    }
  });

  test('Ctrl-C while a server takes its time ends with 130 and no word about it', async (t) => {
    const silent = createServer(() => {});
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    t.after(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const NESTOR_URL = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const child = start(['search', 'kea'], { NESTOR_URL, NESTOR_KEY: 'svc-any' });
    const err = readAll(child.stderr);
    await once(silent, 'request');
    child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as [number | null];
    assert.deepEqual([code, await err], [130, '']);
  });

  test('serve tells where it is and what answers, refuses a taken port in one line, and stops with 0', async (t) => {
    const env = {
      NESTOR_DATA: await temporaryFolder(t),
      NESTOR_PORT: '0',
      NESTOR_DETECT: 'false',
      NESTOR_SANDBOX_RUNNER: 'off',
    };
    await putStore(env.NESTOR_DATA, 'without docs');
    const child = start(['serve', '--json'], env);
    t.after(() => void child.kill('SIGKILL'));
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const begun = JSON.parse(line.toString()) as Record<string, unknown>;
    assert.match(String(begun['root_key']), /^svc-[\w-]{43}$/);
    assert.equal(begun['console'], `${String(begun['url'])}/console`);
    assert.deepEqual(begun['decisions'], { engine: 'encoder' });
    assert.deepEqual(begun['chat'], { models: {} });
    assert.deepEqual(begun['search'], { engines: ['corpus'] });
    const { port } = new URL(String(begun['url']));
    const second = await spawnNestor(['serve'], {
      ...env,
      NESTOR_DATA: await temporaryFolder(t),
      NESTOR_PORT: port,
      NESTOR_LOG_LEVEL: 'fatal',
    });
    assert.deepEqual([second.code, second.out], [1, '']);
    assert.match(
      second.err,
      new RegExp(`^nestor: 127\\.0\\.0\\.1:${port} is taken[^\\n]+NESTOR_PORT[^\\n]+\\n$`),
    );
    // Its data folder leads a command to it.
    const { NESTOR_DATA } = env;
    const found = await spawnNestor(['deciders'], { NESTOR_DATA, NESTOR_KEY: String(begun['root_key']) });
    assert.deepEqual([found.code, found.err], [0, '']);
    child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as [number | null];
    assert.equal(code, 0);
    const away = await spawnNestor(['deciders'], { NESTOR_DATA, NESTOR_URL: 'http://127.0.0.1:9' });
    assert.match(away.err, /^nestor: http:\/\/127\.0\.0\.1:9 cannot be reached/);
    assert.ok(!existsSync(join(NESTOR_DATA, 'server.json')));
  });
});
