import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { pino } from 'pino';
import type { DecisionEngine } from '../../src/features/decisions/engine.ts';
import type { Server } from '../../src/kernel/serve.ts';
import { configuration } from '../../src/configuration.ts';
import { openServer } from '../../src/server.ts';
import { hangingScore, hashedDistribution, scriptedEngine } from '../support/engines.ts';
import { exampleBodies } from '../support/examples.ts';
import { errorOf, openSocket } from '../support/http.ts';
import { assertError } from '../support/strict.ts';
import { until } from '../support/until.ts';

/** Contract 15: the end of a server, and the next start on the same folder. */

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function open(
  folder: string,
  env: Record<string, string>,
  decisions: DecisionEngine = scriptedEngine(),
): Promise<Server> {
  const config = configuration.load({
    env: { NESTOR_PORT: '0', NESTOR_DATA: folder, NESTOR_EMBEDDINGS_ENGINE: 'words', ...env },
    cwd: folder,
  });
  return openServer(config, { decisions, log: pino({ level: 'silent' }) });
}

const key = 'test-root-key-0123456789';
const ask = (url: string, secret = key) =>
  fetch(`${url}/v1/decisions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}` },
    body: JSON.stringify(exampleBodies['createDecision']),
  });

/** Resolves when no connection is taken any more. */
async function refuses(url: string): Promise<void> {
  await until(() =>
    fetch(`${url}/healthz`).then(
      () => false,
      () => true,
    ),
  );
}

test('a running request finishes within the grace while new connections are refused', async (t) => {
  const begun = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const slow = scriptedEngine({
    score: async (state, questions) => {
      begun.resolve();
      await mayEnd.promise;
      return questions.map((question) => hashedDistribution(state, question));
    },
  });
  const server = await open(await makeFolder(t), { NESTOR_ROOT_KEY: key }, slow);
  const url = await server.listen();
  const running = ask(url);
  await begun.promise;
  const closed = server.close();
  await refuses(url);
  mayEnd.resolve();
  const response = await running;
  assert.equal(response.status, 200);
  await response.text();
  await closed;
});

test('a request over the grace gets 503 with the wait, and every part closes', async (t) => {
  let closedEngine = false;
  const begun = Promise.withResolvers<void>();
  const hang = hangingScore();
  const engine: DecisionEngine = {
    ...scriptedEngine({
      score(...question) {
        begun.resolve();
        return hang(...question);
      },
    }),
    close: async () => {
      closedEngine = true;
      await Promise.resolve();
    },
  };
  const server = await open(
    await makeFolder(t),
    { NESTOR_ROOT_KEY: key, NESTOR_SHUTDOWN_GRACE_S: '0.2' },
    engine,
  );
  const url = await server.listen();
  const running = ask(url);
  await begun.promise;
  const closed = server.close();
  const response = await running;
  const received = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: await response.text(),
  };
  assertError(received, 'decisions', 503, 'over the grace');
  assert.equal(errorOf(received).type, 'service_unavailable');
  assert.match(String(received.headers['retry-after']), /^[1-9]\d*$/);
  await closed;
  assert.ok(closedEngine);
});

test('idle and stalled connections do not keep a server open beyond the grace', async (t) => {
  const server = await open(await makeFolder(t), { NESTOR_ROOT_KEY: key, NESTOR_SHUTDOWN_GRACE_S: '0.2' });
  const url = await server.listen();
  assert.equal((await ask(url)).status, 200);
  const idle = await openSocket(url);
  const stalled = await openSocket(url);
  stalled.write(
    `POST /v1/decisions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Length: 100\r\n\r\n{`,
  );
  await delay(50);
  // Without the bound nothing would end these connections, nor this test.
  await server.close();
  idle.destroy();
  stalled.destroy();
});

test('a second start on the same folder keeps the key of the first and makes no other', async (t) => {
  const folder = await makeFolder(t);
  const first = await open(folder, {});
  const made = first.services.newRootKey;
  assert.ok(made !== null && /^svc-[A-Za-z0-9_-]{43}$/.test(made), String(made));
  assert.equal((await ask(await first.listen(), made)).status, 200);
  await first.close();

  const second = await open(folder, {});
  assert.equal(second.services.newRootKey, null);
  const url = await second.listen();
  assert.equal((await ask(url, made)).status, 200);
  assert.equal((await ask(url, `${made}x`)).status, 401);
  await second.close();

  const configured = await open(folder, { NESTOR_ROOT_KEY: key });
  assert.equal(configured.services.newRootKey, null);
  const third = await configured.listen();
  assert.equal((await ask(third, key)).status, 200);
  await configured.close();

  const back = await open(folder, {});
  const fourth = await back.listen();
  assert.equal((await ask(fourth, key)).status, 401, 'a key that left the configuration is no key');
  assert.equal((await ask(fourth, made)).status, 200);
  await back.close();
});
