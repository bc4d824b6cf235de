import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test, type TestContext } from 'node:test';
import { freePort } from '../support/free-port.ts';
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

/** Engines as they answer: with the errors that each of them has for a wrong key and for a search without words. */
async function serveEngines(t: TestContext, asked: string[]): Promise<string> {
  const invalid = { error: { code: 'SUBSCRIPTION_TOKEN_INVALID', status: 422 } };
  const answer = (path: string, isGood: boolean, query: string): readonly [number, object] => {
    if (path.startsWith('/searx') || path.startsWith('/strange'))
      return [200, path.startsWith('/searx') && query === 'test' ? { results: [] } : { found: [] }];
    if (path.startsWith('/crossref')) return [200, { status: 'ok', message: { items: [] } }];
    if (path.startsWith('/brave')) return [422, isGood ? { error: { code: 'VALIDATION' } } : invalid];
    if (path.startsWith('/tavily')) return isGood ? [400, { detail: 'Query is missing.' }] : [401, {}];
    if (path.startsWith('/serper')) return isGood ? [400, {}] : [403, { message: 'Unauthorized.' }];
    if (path.startsWith('/models-by-key'))
      return isGood && path.endsWith('/v1/models') ? [200, { data: [{ id: 'm' }] }] : [401, {}];
    if (path.startsWith('/no-json')) return [403, {}];
    if (path.startsWith('/busy')) return [429, {}];
    return [path.startsWith('/no-list') ? 404 : 500, {}];
  };
  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://engine.example');
      const { authorization, 'x-subscription-token': token, 'x-api-key': apiKey } = request.headers;
      const isGood = [authorization?.replace('Bearer ', ''), token, apiKey].includes('good');
      asked.push(`${request.url ?? ''} ${Buffer.concat(chunks).toString('utf8')}`);
      const [status, body] = answer(pathname, isGood, searchParams.get('q') ?? '');
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

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

  test('a port that another program has is not taken for that of a Nestor elsewhere', async (t) => {
    const { nestor } = openConsole(t);
    const server = await startServer(t);
    const blocker = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => {
      blocker.listen(0, '127.0.0.1', resolve);
    });
    t.after(() => blocker.close());
    const { port } = blocker.address() as AddressInfo;
    const argv = ['doctor', '--json', '--url', server.url, '--key', server.key];
    const ended = await nestor(argv, { env: { ...quiet, NESTOR_PORT: String(port) } });
    assert.match(statusOf(ended, 'server').message, /^Nestor /);
    assert.equal(statusOf(ended, 'port').message, `127.0.0.1:${port} is taken by another program`);
  });

  test('a port of metrics that is taken fails as it would at the start', async (t) => {
    const { nestor } = openConsole(t);
    const blocker = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => {
      blocker.listen(0, '127.0.0.1', resolve);
    });
    t.after(() => blocker.close());
    const { port } = blocker.address() as AddressInfo;
    const ended = await nestor(['doctor', '--json'], {
      env: { ...quiet, NESTOR_METRICS_PORT: String(port) },
    });
    assert.equal(ended.code, 1);
    const { message, advice } = statusOf(ended, 'metrics.port');
    assert.equal(message, `127.0.0.1:${port} is taken by another program`);
    assert.match(advice ?? '', /NESTOR_METRICS_PORT/);
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

  test('names of the configuration that nothing has are told by doctor and by config', async (t) => {
    const { nestor, folder } = openConsole(t);
    const prices = { 'svc-por': 1, 'lab/m': 1, 'lab/none': 1 };
    const provider = {
      name: 'lab',
      type: 'openai-compatible',
      base_url: 'http://127.0.0.1:9/v1',
      models: ['m'],
    };
    const aliases = { models: { 'gpt-5': 'lab/mm', other: 'svc-pro' } };
    writeFileSync(join(folder, 'c.yaml'), JSON.stringify({ prices, aliases, providers: [provider] }));
    const ended = await nestor(['doctor', '--json', '--config', 'c.yaml'], { env: quiet });
    const warned = jsonOf<Report>(ended).checks.filter(({ status }) => status === 'warn');
    const told = warned.map(({ name, message }) => `${name}: ${message}`).join('\n');
    assert.match(
      told,
      /^configuration: c\.yaml: prices\.svc-por prices nothing; did you mean svc-pro\? allowed: /m,
    );
    assert.match(
      told,
      /^models: aliases\.models\.gpt-5: nothing is offered as lab\/mm \(did you mean lab\/m\?\)/m,
    );
    assert.match(told, /^models: prices\["lab\/none"\]: nothing is offered as lab\/none/m);
    assert.doesNotMatch(told, /"lab\/m"|models\.other/);
    const printed = await nestor(['config', '--config', 'c.yaml']);
    assert.match(printed.out, /^prices:\n {2}svc-por: 1$/m);
    assert.match(printed.err, /^nestor: c\.yaml: prices\.svc-por prices nothing; did you mean svc-pro\?/m);
    assert.equal(printed.code, 0);
  });

  test('search engines are asked all at once, those that cost money for nothing, and each has its line', async (t) => {
    const { nestor, folder } = openConsole(t);
    const asked: string[] = [];
    const base = await serveEngines(t, asked);
    const engines = [
      { type: 'searxng', url: `${base}/searx` },
      { type: 'crossref', url: `${base}/crossref` },
      { type: 'brave', url: `${base}/brave`, key: 'good' },
      { type: 'brave', url: `${base}/brave`, key: 'wrong' },
      { type: 'tavily', url: `${base}/tavily`, key: 'good' },
      { type: 'serper', url: `${base}/serper`, key: 'wrong' },
      { type: 'exa', url: `${base}/away`, key: 'good' },
      { type: 'searxng', url: `${base}/no-json` },
      { type: 'searxng', url: `${base}/strange` },
      { type: 'searxng', url: 'http://127.0.0.1:9' },
      { type: 'searxng', url: `${base}/busy` },
    ];
    writeFileSync(join(folder, 's.yaml'), JSON.stringify({ search: { engines } }));
    const ended = await nestor(['doctor', '--json', '--config', 's.yaml'], { env: quiet });
    assert.equal(ended.code, 1);
    const names = engines.map(({ type }) => type).join(', ');
    assert.equal(statusOf(ended, 'search').message, `the own index, ${names}`);
    const lines = jsonOf<Report>(ended)
      .checks.filter(({ name }) => name.startsWith('search '))
      .map(({ name, status, message, advice }) =>
        [name.slice(7), status, message.replaceAll(/\d+ ms/g, '1 ms'), advice ?? ''].join(' | '),
      );
    const away = (place: string) =>
      `Check ${place}.url, that the server runs, and that a firewall lets this machine through.`;
    const taken = 'takes the key, 1 ms (asked with an empty search, which finds nothing)';
    assert.deepEqual(lines, [
      'searxng | ok | answered a search, 1 ms | ',
      'crossref | ok | answered a search, 1 ms | ',
      `brave | ok | ${taken} | `,
      'brave | fail | refused: 422 | Check search.engines[3].key: the server does not take it.',
      `tavily | ok | ${taken} | `,
      'serper | fail | refused: 403 | Check search.engines[5].key: the server does not take it.',
      `exa | fail | answered 500 | ${away('search.engines[6]')}`,
      'searxng | fail | refused: 403 | Let it answer in JSON: `formats: [html, json]` under `search` in its settings.yml.',
      'searxng | fail | answers, but not as this engine does | Check search.engines[8].url.',
      `searxng | fail | cannot be reached (ECONNREFUSED) | ${away('search.engines[9]')}`,
      'searxng | warn | busy: 429 | Its limit is used up for now; see the account there.',
    ]);
    // Nothing that costs money was looked for.
    for (const one of asked.filter((text) => /brave|tavily|serper/.test(text)))
      assert.doesNotMatch(one, /test/);
  });

  test('upstreams and providers are asked for their models, and one that refuses names the key to check', async (t) => {
    const { nestor, folder } = openConsole(t);
    const base = await serveEngines(t, []);
    const provider = (name: string, key: string) => ({
      name,
      type: 'openai-compatible',
      base_url: `${base}/models-by-key/v1`,
      key,
    });
    const one = { name: 'other', engine: 'systemone', upstreams: [{ url: 'http://127.0.0.1:9' }] };
    const config = {
      providers: [provider('good', 'good'), provider('bad', 'wrong')],
      decisions: { compare: [one] },
      embeddings: {
        engine: 'openai-compatible',
        upstreams: [
          { url: `${base}/models-by-key/v1/embeddings`, key: 'good', model: 'm' },
          { url: `${base}/models-by-key`, model: 'm' },
          { url: `${base}/no-list`, model: 'm' },
        ],
      },
    };
    writeFileSync(join(folder, 'u.yaml'), JSON.stringify(config));
    const ended = await nestor(['doctor', '--json', '--config', 'u.yaml'], { env: quiet });
    const messageOf = (name: string) => {
      const { status, message, advice } = statusOf(ended, name);
      return [status, message.replaceAll(/\d+ ms/g, '1 ms'), advice];
    };
    const host = new URL(base).host;
    assert.deepEqual(messageOf('models of good'), ['ok', '1 model, listed in 1 ms', null]);
    assert.deepEqual(messageOf('models of bad'), [
      'fail',
      'refused: 401',
      'Check providers[1].key: the server does not take it.',
    ]);
    assert.deepEqual(messageOf('embeddings.upstreams[0]'), ['ok', `${host} listed its models, 1 ms`, null]);
    assert.deepEqual(messageOf('embeddings.upstreams[1]'), [
      'fail',
      `${host}: refused: 401`,
      'It wants a key: set embeddings.upstreams[1].key.',
    ]);
    assert.deepEqual(messageOf('embeddings.upstreams[2]'), [
      'ok',
      `${host} answers, 1 ms, and has no list of models`,
      null,
    ]);
    assert.match(
      statusOf(ended, 'decisions.compare[0].upstreams[0]').message,
      /^127\.0\.0\.1:9: cannot be reached \(ECONNREFUSED\)$/,
    );
    assert.equal(ended.code, 1);
  });

  test('sources of figures are connected to and asked nothing; without an engine the search is warned of', async (t) => {
    const { nestor, folder } = openConsole(t);
    const asked: string[] = [];
    const base = await serveEngines(t, asked);
    const look = async (finance: readonly object[]) => {
      writeFileSync(join(folder, 'f.yaml'), JSON.stringify({ search: { finance } }));
      return nestor(['doctor', '--json', '--config', 'f.yaml'], { env: quiet });
    };
    const good = await look([{ type: 'edgar', url: base }]);
    assert.equal(statusOf(good, 'network').message, `${new URL(base).host} can be reached`);
    assert.deepEqual(asked, []);
    assert.equal(good.code, 0);
    const away = await look([{ type: 'edgar', url: 'http://127.0.0.1:9' }]);
    assert.match(statusOf(away, 'network').message, /^127\.0\.0\.1:9 cannot be reached \(ECONNREFUSED\)$/);
    assert.match(statusOf(away, 'network').advice ?? '', /search\.finance/);
    assert.equal(away.code, 1);
    const none = await look([]);
    assert.equal(statusOf(none, 'search').status, 'warn');
    assert.equal(none.code, 0);
  });

  test('a port of metrics is that of the server only where its figures are told', async (t) => {
    const metricsPort = await freePort();
    const server = await startServer(t, { env: { NESTOR_METRICS_PORT: `${metricsPort}` } });
    const { nestor } = openConsole(t);
    const other = createHttpServer((_request, response) => response.end('# HELP mail_seconds Of another\n'));
    t.after(() => other.close());
    const silent = createServer();
    t.after(() => silent.close());
    const look = async (at: number) => {
      const env = { ...quiet, NESTOR_PORT: new URL(server.url).port, NESTOR_METRICS_PORT: `${at}` };
      const ended = await nestor(['doctor', '--json'], { env, api: { url: undefined, key: server.key } });
      assert.equal(statusOf(ended, 'port').status, 'ok');
      return statusOf(ended, 'metrics.port').message;
    };
    assert.equal(await look(metricsPort), `127.0.0.1:${metricsPort} is served by Nestor`);
    for (const taker of [other, silent]) {
      taker.listen(0, '127.0.0.1');
      await once(taker, 'listening');
      const { port } = taker.address() as AddressInfo;
      assert.equal(await look(port), `127.0.0.1:${port} is taken by another program`);
    }
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
