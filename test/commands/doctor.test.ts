import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import { startServer } from '../support/server.ts';
import { jsonOf, openConsole, spawnNestor, type Ended } from './support.ts';

interface Report {
  readonly ok: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly status: 'ok' | 'warn' | 'fail';
    readonly message: string;
    readonly advice: string | null;
  }[];
}

/** Nothing outside is looked for, and no sandbox is tried: that has tests of its own. */
const quiet = { NESTOR_DETECT: 'false', NESTOR_SANDBOX_RUNNER: 'off', NESTOR_PORT: '0' };

const statusOf = (ended: Ended, name: string) =>
  jsonOf<Report>(ended).checks.find((check) => check.name === name) ??
  assert.fail(`no check ${name}: ${ended.out}`);

suite('nestor doctor', () => {
  test('a machine that has nothing but Nestor is in order, and nothing is made on it', async (t) => {
    const { nestor, folder } = openConsole(t);
    const ended = await nestor(['doctor', '--json'], { env: { ...quiet, NESTOR_DECISIONS_ENGINE: 'auto' } });
    assert.equal(ended.code, 0);
    assert.equal(jsonOf<Report>(ended).ok, true);
    assert.equal(statusOf(ended, 'store').message, 'sqlite, made at the first start');
    assert.match(statusOf(ended, 'decisions').message, /^encoder, one question takes \d+ ms/);
    assert.equal(statusOf(ended, 'models').status, 'warn');
    assert.match(statusOf(ended, 'models').advice ?? '', /Ollama/);
    assert.match(statusOf(ended, 'server').message, /none is known/);
    assert.ok(!existsSync(join(folder, 'data', 'nestor.db')));
  });

  test('a store is written to and stays as it was; one that is broken is told with what to do', async (t) => {
    const { nestor, folder } = openConsole(t);
    await nestor(['accounts', 'create', 'acme']);
    const ended = await nestor(['doctor', '--json'], { env: quiet });
    assert.match(statusOf(ended, 'store').message, /^sqlite, a write takes \d+ ms$/);
    assert.equal((await nestor(['accounts', 'show', 'acme'])).code, 0);
    assert.ok(jsonOf<Report>(ended).checks.every(({ name }) => name !== 'index'));
    writeFileSync(join(folder, 'bird.md'), '# Bird\n\nThe heron waits.');
    const words = { NESTOR_EMBEDDINGS_ENGINE: 'words' };
    assert.equal((await nestor(['index', 'add', '.', '--include', 'bird.md'], { env: words })).code, 0);
    const indexed = statusOf(await nestor(['doctor', '--json'], { env: quiet }), 'index');
    assert.deepEqual(
      [indexed.status, indexed.message],
      ['ok', '1 documents by their vectors: 1 with those of words'],
    );
    const store = new DatabaseSync(join(folder, 'data', 'nestor.db'));
    store.exec('update corpus_documents set embedded_by = null');
    store.close();
    const waiting = statusOf(await nestor(['doctor', '--json'], { env: quiet }), 'index');
    assert.deepEqual(
      [waiting.status, waiting.message],
      ['warn', '1 documents by their vectors: 1 with none'],
    );
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'other', 'nestor.db'), 'this is no database'.repeat(100));
    const broken = await nestor(['doctor'], { env: { ...quiet, NESTOR_DATA: join(folder, 'other') } });
    assert.equal(broken.code, 1);
    assert.match(broken.out, /^✗ fail +store: .*not a database\); .*\n +Check NESTOR_DATABASE_URL/m);
    assert.match(broken.out, /\n1 of \d+ checks failed\.\n$/);
  });

  test('a wrong configuration, an engine that cannot work and a taken port fail, each with advice', async (t) => {
    const { nestor, folder } = openConsole(t);
    writeFileSync(join(folder, 'bad.yaml'), 'prot: 1\n');
    const misspelt = await nestor(['doctor', '--json', '--config', 'bad.yaml'], { env: quiet });
    assert.equal(misspelt.code, 1);
    assert.match(statusOf(misspelt, 'configuration').message, /prot/);
    const blocker = createServer((socket) => socket.end('220 mail ready\r\n'));
    await new Promise<void>((resolve) => {
      blocker.listen(0, '127.0.0.1', resolve);
    });
    t.after(() => blocker.close());
    const { port } = blocker.address() as AddressInfo;
    const env = {
      ...quiet,
      NESTOR_PORT: String(port),
      NESTOR_DECISIONS_ENGINE: 'local',
      NESTOR_DECISIONS_PATH: join(folder, 'nothing.gguf'),
    };
    const ended = await nestor(['doctor', '--json'], { env });
    assert.equal(ended.code, 1);
    assert.deepEqual([statusOf(ended, 'port').status, statusOf(ended, 'decisions').status], ['fail', 'fail']);
    assert.match(statusOf(ended, 'port').advice ?? '', /NESTOR_PORT/);
    assert.match(statusOf(ended, 'decisions').advice ?? '', /NESTOR_DECISIONS_ENGINE=words/);
  });

  test('a provider that does not answer fails, and an open address is warned of', async (t) => {
    const { nestor, folder } = openConsole(t);
    const provider = { name: 'away', type: 'openai-compatible', base_url: 'http://127.0.0.1:9/v1' };
    writeFileSync(join(folder, 'c.yaml'), JSON.stringify({ host: '0.0.0.0', providers: [provider] }));
    const ended = await nestor(['doctor', '--json', '--config', 'c.yaml'], { env: quiet });
    assert.equal(statusOf(ended, 'models of away').status, 'fail');
    assert.match(statusOf(ended, 'exposure').advice ?? '', /TLS/);
    assert.equal(ended.code, 1);
  });

  test('servers that the configuration names are connected to, and one that is away fails with the key to check', async (t) => {
    const { nestor, folder } = openConsole(t);
    const there = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => {
      there.listen(0, '127.0.0.1', resolve);
    });
    t.after(() => there.close());
    const url = `http://127.0.0.1:${(there.address() as AddressInfo).port}`;
    const look = async (engines: readonly object[], compare: readonly object[] = []) => {
      writeFileSync(join(folder, 's.yaml'), JSON.stringify({ search: { engines }, decisions: { compare } }));
      return nestor(['doctor', '--json', '--config', 's.yaml'], { env: quiet });
    };
    const good = await look([{ type: 'searxng', url }, { type: 'arxiv' }]);
    assert.equal(statusOf(good, 'search').message, 'the own index, searxng, arxiv');
    assert.equal(statusOf(good, 'network').message, `${url.slice('http://'.length)} can be reached`);
    assert.equal(good.code, 0);
    const away = await look([{ type: 'searxng', url: 'http://127.0.0.1:9' }]);
    assert.match(statusOf(away, 'network').message, /^127\.0\.0\.1:9 cannot be reached \(ECONNREFUSED\)$/);
    assert.match(statusOf(away, 'network').advice ?? '', /search\.engines/);
    assert.equal(away.code, 1);
    const upstreams = [{ url: 'http://127.0.0.1:9' }];
    const compared = await look([], [{ name: 'other', engine: 'systemone', upstreams }]);
    assert.equal(statusOf(compared, 'network').status, 'fail');
    assert.match(statusOf(compared, 'network').advice ?? '', /decisions\.compare/);
    const none = await look([]);
    assert.equal(statusOf(none, 'search').status, 'warn');
    assert.equal(none.code, 0);
  });

  test('a server that runs is looked at, with the key', async (t) => {
    const server = await startServer(t);
    const { nestor } = openConsole(t);
    const port = new URL(server.url).port;
    const env = { ...quiet, NESTOR_PORT: port };
    const api = { url: undefined, key: server.key };
    const ended = await nestor(['doctor', '--json'], { env, api });
    assert.equal(ended.code, 0, ended.out);
    assert.equal(statusOf(ended, 'port').message, `127.0.0.1:${port} is served by Nestor`);
    assert.match(statusOf(ended, 'readiness').message, /store ok, .*decisions ok/);
    assert.equal(statusOf(ended, 'key').status, 'ok');
    const wrong = await nestor(['doctor', '--json', '--url', server.url, '--key', 'wrong-key-0123456789'], {
      env: quiet,
    });
    assert.equal(statusOf(wrong, 'key').status, 'fail');
    const gone = await nestor(['doctor', '--json', '--url', 'http://127.0.0.1:9'], { env: quiet });
    assert.equal(statusOf(gone, 'server').status, 'fail');
    assert.equal(gone.code, 1);
  });

  test('colours are for a terminal without NO_COLOR; a wrong option is 2', async (t) => {
    const { nestor } = openConsole(t);
    const escape = '\u001b';
    assert.ok((await nestor(['doctor'], { env: quiet, isTerminal: true })).out.includes(escape));
    assert.ok(
      !(await nestor(['doctor'], { env: quiet, isTerminal: true, isPlain: true })).out.includes(escape),
    );
    assert.ok(!(await nestor(['doctor'], { env: quiet })).out.includes(escape));
    const wrong = await nestor(['doctor', '--colour']);
    assert.deepEqual([wrong.code, wrong.out], [2, '']);
  });

  test('runs as a process of its own, where NESTOR_URL and NESTOR_KEY are no part of the configuration', async (t) => {
    const server = await startServer(t);
    const { folder } = openConsole(t);
    const env = { ...quiet, NESTOR_DATA: folder, NESTOR_URL: server.url, NESTOR_KEY: server.key };
    const ended = await spawnNestor(['doctor', '--json'], env);
    assert.equal(ended.code, 0, ended.out + ended.err);
    assert.equal(statusOf(ended, 'configuration').status, 'ok');
    assert.equal(statusOf(ended, 'key').status, 'ok');
  });
});
