import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { suite, test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { configuration } from '../../src/configuration.ts';
import { openServer } from '../../src/server.ts';
import type { Overrides } from '../../src/kernel/feature.ts';
import { temporaryFolder } from '../storage/temporary.ts';
import { hashedDistribution, scriptedEngine } from '../support/engines.ts';
import { exampleBodies } from '../support/examples.ts';
import { openSocket } from '../support/http.ts';
import { text } from '../support/models.ts';
import { scriptedProvider } from '../support/providers.ts';
import { spawnServer } from './server-process.ts';

const key = 'test-root-key-0123456789';

async function open(t: TestContext, env: Record<string, string>, given: Partial<Overrides> = {}) {
  const folder = temporaryFolder(t);
  const fixed = {
    NESTOR_PORT: '0',
    NESTOR_DATA: folder,
    NESTOR_EMBEDDINGS_ENGINE: 'words',
    NESTOR_ROOT_KEY: key,
    NESTOR_SANDBOX_RUNNER: 'off',
  };
  const config = configuration.load({ env: { ...fixed, NESTOR_DETECT: 'false', ...env }, cwd: folder });
  const server = await openServer(config, { log: pino({ level: 'silent' }), ...given });
  t.after(() => server.close());
  const url = await server.listen();
  const post = (path: string, body: unknown) =>
    fetch(url + path, {
      method: 'POST',
      // A connection of its own, as another caller has.
      headers: { authorization: `Bearer ${key}`, connection: 'close' },
      body: JSON.stringify(body),
    });
  return { server, url, post };
}

async function readiness(url: string) {
  const response = await fetch(`${url}/readyz`, { headers: { connection: 'close' } });
  const { status, stopping } = (await response.json()) as { status: string; stopping: boolean };
  return [response.status, status, stopping];
}

suite('a server that is asked to end', () => {
  test('is not ready first, serves on for drain_s, and only then takes no new connection', async (t) => {
    const waited = Promise.withResolvers<number>();
    const over = Promise.withResolvers<void>();
    const wait = (ms: number) => {
      waited.resolve(ms);
      return over.promise;
    };
    const { server, url, post } = await open(t, { NESTOR_DRAIN_S: '30' }, { wait });
    assert.deepEqual(await readiness(url), [200, 'ready', false]);
    const closed = server.close({ drains: true });
    assert.equal(await waited.promise, 30_000);
    assert.deepEqual(await readiness(url), [503, 'not_ready', true]);
    assert.equal((await post('/v1/decisions', exampleBodies['createDecision'])).status, 200);
    over.resolve();
    await closed;
    await assert.rejects(fetch(`${url}/healthz`));
  });

  test('ends at once without drains, as after Ctrl-C', async (t) => {
    const wait = () => Promise.reject(new Error('nobody has to wait'));
    const { server } = await open(t, { NESTOR_DRAIN_S: '30' }, { wait });
    await server.close();
  });

  test('answers what comes on an open connection, and closes it', async (t) => {
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const release = Promise.withResolvers<void>();
    let asked = 0;
    const decisions = scriptedEngine({
      async score(state, questions) {
        begun[asked++ === 0 ? 0 : 1].resolve();
        await release.promise;
        return questions.map((question) => hashedDistribution(state, question));
      },
    });
    const { server, url } = await open(t, {}, { decisions });
    const socket = await openSocket(url);
    let received = '';
    socket.on('data', (data: Buffer) => (received += data.toString()));
    const body = JSON.stringify(exampleBodies['createDecision']);
    const request = `POST /v1/decisions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    socket.write(request);
    await begun[0].promise;
    const closed = server.close();
    // Stopping takes its first steps before the next request comes.
    while ((await fetch(`${url}/healthz`).catch(() => null)) !== null);
    socket.write(request);
    await begun[1].promise;
    release.resolve();
    await once(socket, 'end');
    socket.destroy();
    await closed;
    const [first = '', second = ''] = received.split(/(?=HTTP\/1\.1 )/);
    assert.match(first, /^HTTP\/1\.1 200 /);
    assert.match(second, /^HTTP\/1\.1 200 /);
    assert.match(second, /\r\nconnection: close\r\n/i);
  });

  const streams: Readonly<Record<string, object>> = {
    '/chat/completions': { model: 'svc', messages: [{ role: 'user', content: 'hello' }] },
    '/router/v1/chat/completions': { model: 'lab/slow', messages: [{ role: 'user', content: 'hello' }] },
    '/router/v1/messages': {
      model: 'lab/slow',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'hello' }],
    },
  };
  for (const [path, body] of Object.entries(streams)) {
    test(`ends the stream of ${path} with an error that says so`, async (t) => {
      const provider = scriptedProvider('lab', {
        slow: {
          async *answer(_request, signal) {
            yield [text('Hello')];
            await delay(3_600_000, null, { signal });
          },
        },
      });
      const env = { NESTOR_SHUTDOWN_GRACE_S: '0' };
      const { server, post } = await open(t, env, { providers: [provider] });
      const response = await post(path, { ...body, stream: true });
      assert.equal(response.status, 200);
      const reader = response.body?.getReader();
      const decoder = new TextDecoder();
      let received = '';
      let closed: Promise<void> | null = null;
      for (;;) {
        const read = await reader?.read();
        if (read?.value === undefined) break;
        received += decoder.decode(read.value, { stream: true });
        if (received.includes('Hello')) closed ??= server.close();
      }
      await closed;
      assert.match(received, /The server is stopping/);
      assert.doesNotMatch(received, /busy|overloaded/);
    });
  }
});

suite('a process that is asked to end', () => {
  const begin = async (t: TestContext) => {
    const server = await spawnServer(temporaryFolder(t), {
      NESTOR_ROOT_KEY: key,
      NESTOR_DETECT: 'false',
      NESTOR_SANDBOX_RUNNER: 'off',
      NESTOR_DRAIN_S: '3600',
    });
    t.after(() => server.end('SIGKILL'));
    return server;
  };

  test('drains after SIGTERM, and a second signal ends it at once', async (t) => {
    const server = await begin(t);
    process.kill(server.pid, 'SIGTERM');
    await server.said('stopping');
    assert.deepEqual(await readiness(server.url), [503, 'not_ready', true]);
    assert.equal(await server.end('SIGINT'), null);
  });

  test('takes a signal that comes twice in a moment, from the group and from who started it, as one', async (t) => {
    const server = await begin(t);
    process.kill(server.pid, 'SIGTERM');
    await server.said('stopping');
    process.kill(server.pid, 'SIGTERM');
    assert.deepEqual(await readiness(server.url), [503, 'not_ready', true]);
    assert.equal(await server.end('SIGINT'), null);
  });

  test('does not drain after Ctrl-C', async (t) => {
    const server = await begin(t);
    assert.equal(await server.end('SIGINT'), 0);
  });
});
