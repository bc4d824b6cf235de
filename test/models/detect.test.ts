import assert from 'node:assert/strict';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { local } from '../../src/features/decisions/engines/local/engine.ts';
import { openOutbound } from '../../src/kernel/kit/outbound.ts';
import {
  describeFinding,
  findFile,
  findLocalServer,
  findServices,
} from '../../src/features/models/detect.ts';
import { knownServices } from '../../src/features/models/services.ts';
import { writeTestModel } from '../support/gguf.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { startUpstream, type UpstreamHandler } from '../support/upstream.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { hangMs, until } from '../support/until.ts';

const listing = (...ids: readonly string[]) => ({
  json: { object: 'list', data: ids.map((id) => ({ id, object: 'model', created: 1, owned_by: 'x' })) },
});
const lists =
  (...ids: readonly string[]): UpstreamHandler =>
  ({ path }) =>
    path.startsWith('/v1/models') ? listing(...ids) : { status: 404, json: {} };
const portOf = (url: string) => Number(new URL(url).port);
const never = new AbortController().signal;

suite('keys in the environment', () => {
  test('each known service is found by its customary variable, in the order of preference', () => {
    const variables = Object.fromEntries(knownServices.map(({ variables }) => [variables[0] ?? '', 'sk-1']));
    assert.deepEqual(
      findServices(variables).map(({ name }) => name),
      knownServices.map(({ name }) => name),
    );
    assert.deepEqual(findServices({}), []);
  });

  test('the second name of a key counts too, and what fits in no header is no key', () => {
    const [google] = findServices({ GOOGLE_API_KEY: 'abc' });
    assert.ok(google?.kind === 'service' && google.from === 'GOOGLE_API_KEY' && google.key === 'abc');
    assert.deepEqual(findServices({ OPENAI_API_KEY: 'two words', MISTRAL_API_KEY: '' }), []);
  });

  test('another address is taken as the clients of the service take it', () => {
    const found = findServices({
      OPENAI_API_KEY: 'a',
      OPENAI_BASE_URL: 'http://proxy/v1/',
      ANTHROPIC_API_KEY: 'b',
      ANTHROPIC_BASE_URL: 'http://proxy',
    });
    assert.deepEqual(
      found.map((one) => one.kind === 'service' && one.baseUrl),
      ['http://proxy/v1', 'http://proxy/v1'],
    );
    const [broken] = findServices({ OPENAI_API_KEY: 'a', OPENAI_BASE_URL: 'nonsense' });
    assert.ok(broken?.kind === 'service' && broken.baseUrl === 'https://api.openai.com/v1');
  });

  test('each finding is described in one line, with how to turn it off and without the key', () => {
    for (const finding of findServices({ OPENAI_API_KEY: 'sk-secret', GROQ_API_KEY: 'sk-secret' })) {
      const line = describeFinding(finding);
      assert.match(line, /^models: found a key in [A-Z_]+: .*`detect: false`/);
      assert.ok(!line.includes('sk-secret') && !line.includes('\n'));
    }
  });
});

suite('servers on this machine', () => {
  test('one that lists models is found; what else answers on its port is not', async (t) => {
    const outbound = openOutbound({ responseBytesMax: 1_000_000, connectionsMax: 1 });
    t.after(() => outbound.close());
    const find = async (handler: UpstreamHandler, timeoutMs: number) => {
      const { url } = await startUpstream(t, handler);
      return findLocalServer({ name: 'ollama', port: portOf(url) }, outbound, timeoutMs, never);
    };
    const found = await find(lists('qwen3:0.6b'), hangMs);
    assert.ok(found?.kind === 'server' && found.name === 'ollama');
    assert.match(
      describeFinding(found),
      /^models: found a server at http:\/\/127\.0\.0\.1:\d+\/v1: .*`detect: false`/,
    );
    const others: readonly UpstreamHandler[] = [
      () => ({ status: 404, json: {} }),
      () => ({ json: { status: 'ok' } }),
      () => ({ json: [] }),
      () => ({ fault: 'html' }),
      () => ({ fault: 'noise' }),
      () => ({ fault: 'flood' }),
      () => ({ fault: 'reset' }),
    ];
    const endless: readonly UpstreamHandler[] = [() => ({ fault: 'hang' }), () => ({ fault: 'drip' })];
    assert.deepEqual(
      await Promise.all([
        ...others.map((handler) => find(handler, hangMs)),
        ...endless.map((handler) => find(handler, 300)),
      ]),
      [...others, ...endless].map(() => null),
    );
    assert.equal(await findLocalServer({ name: 'x', port: 1 }, outbound, hangMs, never), null);
  });
});

test('where no GGUF file is a chat model the first by name is told of, in the data folder and then in models', async (t) => {
  const folder = await temporaryFolder(t);
  assert.equal(await findFile(folder), null);
  assert.equal(await findFile(join(folder, 'missing')), null);
  await mkdir(join(folder, 'models'));
  await writeFile(join(folder, 'models', 'b.gguf'), '');
  await writeFile(join(folder, 'models', 'a.gguf.1234.part'), '');
  const inside = await findFile(folder);
  assert.ok(inside?.kind === 'file' && inside.path.endsWith(join('models', 'b.gguf')));
  await writeFile(join(folder, 'z.gguf'), '');
  const above = await findFile(folder);
  assert.ok(above?.kind === 'file' && above.path === join(folder, 'z.gguf'));
  assert.match(describeFinding(above), /`detect: false`/);
});

test('a chat model is found behind an encoder and a decision model, and an encoder alone is none', async (t) => {
  const folder = await temporaryFolder(t);
  const others = { encoder: { shape: 'bert', pooling: 1 }, decider: { decision: 'kev' } } as const;
  await copyFile(await writeTestModel(others.encoder), join(folder, 'a.gguf'));
  assert.equal(await findFile(folder), null);
  await copyFile(await writeTestModel(others.decider), join(folder, 'b.gguf'));
  await mkdir(join(folder, 'models'));
  await copyFile(await writeTestModel(), join(folder, 'models', 'c.gguf'));
  const found = await findFile(folder);
  assert.ok(found?.kind === 'file' && found.path === join(folder, 'models', 'c.gguf'));
  assert.equal(await local.find?.(folder), found.path);
});

suite('a server that looks around', () => {
  const idsOf = async ({ url }: TestServer): Promise<readonly string[]> => {
    const body = (await (await fetch(`${url}/v1/models`)).json()) as { data: readonly { id: string }[] };
    return body.data.map(({ id }) => id);
  };
  const linesOf = ({ log }: TestServer) =>
    log.flatMap(({ msg }) => (typeof msg === 'string' && msg.startsWith('models: found') ? [msg] : []));
  const start = (t: TestContext, options: Parameters<typeof startServer>[1]) => {
    const env = { NESTOR_DETECT: 'true', NESTOR_DECISIONS_ENGINE: 'words', ...options?.env };
    return startServer(t, { localServers: [], ...options, env });
  };

  test('a key makes the models of its service usable, with the key and nobody else asked', async (t) => {
    const upstream = await startUpstream(t, lists('gpt-5', 'gpt-5-nano', 'whisper-1'));
    const server = await start(t, {
      env: { OPENAI_API_KEY: 'sk-0123', OPENAI_BASE_URL: `${upstream.url}/v1` },
    });
    await until(async () => (await idsOf(server)).includes('openai/gpt-5'));
    assert.ok(!(await idsOf(server)).includes('openai/whisper-1'));
    assert.equal(linesOf(server).length, 1);
    assert.ok(upstream.requests.every(({ headers }) => headers['authorization'] === 'Bearer sk-0123'));
    assert.ok(!JSON.stringify(server.log).includes('sk-0123'));
    const ready = (await (await fetch(`${server.url}/readyz`)).json()) as { checks: { chat: string } };
    assert.equal(ready.checks.chat, 'ok');
  });

  test('with detection off, or with a provider named, nobody is asked', async (t) => {
    const upstream = await startUpstream(t, lists('gpt-5'));
    const other = await startUpstream(t, lists('m'));
    const keys = { OPENAI_API_KEY: 'sk-0123', OPENAI_BASE_URL: `${upstream.url}/v1` };
    const localServers = [{ name: 'ollama', port: portOf(upstream.url) }];
    const off = await start(t, { env: { ...keys, NESTOR_DETECT: 'false' }, localServers });
    const named = await start(t, {
      env: keys,
      localServers,
      config: `providers: [{ name: lab, type: openai-compatible, base_url: "${other.url}/v1" }]`,
    });
    await until(async () => (await idsOf(named)).includes('lab/m'));
    assert.equal(upstream.requests.length, 0);
    assert.deepEqual([...linesOf(off), ...linesOf(named)], []);
  });

  test('a service that hangs delays no start, and a server that answers late is adopted', async (t) => {
    const hanging = await startUpstream(t, () => ({ fault: 'hang' }));
    const release = Promise.withResolvers<void>();
    const late = await startUpstream(t, async (request) => {
      await release.promise;
      return lists('late-model')(request);
    });
    const server = await start(t, {
      env: { OPENAI_API_KEY: 'sk-0123', OPENAI_BASE_URL: `${hanging.url}/v1` },
      localServers: [{ name: 'ollama', port: portOf(late.url) }],
    });
    assert.deepEqual(
      (await idsOf(server)).filter((id) => !id.startsWith('svc/')),
      ['embedded/extractive'],
    );
    const before = (await (await fetch(`${server.url}/readyz`)).json()) as { checks: { chat: string } };
    assert.equal(before.checks.chat, 'not_configured', 'what never answered is no configured backend');
    release.resolve();
    await until(async () => (await idsOf(server)).includes('ollama/late-model'));
  });

  test('a GGUF file in the data folder answers, under the name of the file', async (t) => {
    const data = await temporaryFolder(t);
    const model = await writeTestModel();
    await copyFile(model, join(data, 'mine.gguf'));
    const server = await start(t, { data });
    await until(async () => (await idsOf(server)).includes('local/mine'));
    assert.match(String(linesOf(server)[0]), /found the file .*mine\.gguf: it is offered as local\//);
    const ready = (await (await fetch(`${server.url}/readyz`)).json()) as { checks: { chat: string } };
    assert.equal(ready.checks.chat, 'ok');
  });
});
