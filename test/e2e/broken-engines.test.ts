import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../src/kernel/faults.ts';
import { unlimited as env } from '../support/decisions.ts';
import { hangingScore, scriptedEngine } from '../support/engines.ts';
import { exampleBodies } from '../support/examples.ts';
import { errorOf } from '../support/http.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { assertError } from '../support/strict.ts';

/** An engine that throws, lies, hangs or is away: documented answers, and nothing of its insides. */

suite('engines that break their promise', () => {
  const secret = '/var/secret/engine.ts:10:5 password=hunter2';
  const paths = ['/v1/decisions', '/v1/systemone', '/openai/v1/decisions'] as const;
  const surfaceOf = (path: string) => (path === '/v1/systemone' ? 'systemone' : 'decisions');
  const bodies = ['createDecision', 'createSystemOne', 'createOpenAiDecision'].map((id) => exampleBodies[id]);

  async function breaks(own: TestServer, status: number, type: string, message?: string): Promise<void> {
    for (const [index, path] of paths.entries()) {
      const response = await own.post(path, bodies[index]);
      const received = {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text: await response.text(),
      };
      assertError(received, surfaceOf(path), status, path);
      const error = errorOf(received);
      assert.equal(error.type, type);
      assert.equal(error.code, path === '/v1/systemone' ? status : null);
      assert.equal(error.param, null);
      if (message !== undefined) assert.equal(error.message, message);
      assert.ok(!/hunter2|\/var\/|engine\.ts|\bat /.test(received.text), received.text);
      if (status === 503) {
        assert.match(String(received.headers['retry-after']), /^[1-9]\d*$/, 'Retry-After with 503');
        assert.match(String(received.headers['retry-after-ms']), /^[1-9]\d*$/, 'retry-after-ms with 503');
      }
      if (path === '/v1/systemone') {
        const { detail } = JSON.parse(received.text) as { detail: { error_type: string } };
        assert.equal(detail.error_type, status === 504 ? 'timeout' : 'unknown');
      }
    }
    assert.equal((await fetch(`${own.url}/healthz`)).status, 200);
  }

  test('what an engine throws is an opaque 500', async (t) => {
    for (const thrown of [new Error(secret), secret, null, undefined, { status: 200 }]) {
      const own = await startServer(t, {
        env,
        decisions: scriptedEngine({
          score: () => {
            throw thrown;
          },
        }),
      });
      await breaks(own, 500, 'internal_error', 'Internal server error');
      assert.ok(
        own.log.some(({ level }) => level === 50),
        'an operator sees it',
      );
    }
    const counting = scriptedEngine({ countTokens: () => Promise.reject(new Error(secret)) });
    await breaks(
      await startServer(t, { env, decisions: counting }),
      500,
      'internal_error',
      'Internal server error',
    );
  });

  test('what is no distribution is 502', async (t) => {
    const wrong: ((n: number) => readonly number[])[] = [
      (n) => Array(n).fill(Number.NaN),
      (n) => Array(n).fill(0),
      (n) => Array(n).fill(1),
      () => [],
      () => [1],
      (n) => [-0.5, 1.5, ...Array(Math.max(0, n - 2)).fill(0)],
      (n) => [Infinity, ...Array(n - 1).fill(0)],
      (n) => [1 - 1e-6, ...Array(n - 1).fill(0)],
    ];
    for (const make of wrong) {
      const score = scriptedEngine({
        score: (_state, questions) => Promise.resolve(questions.map(({ options }) => make(options.length))),
      });
      await breaks(await startServer(t, { env, decisions: score }), 502, 'bad_gateway');
    }
    for (const drop of [-1, 1]) {
      const score = scriptedEngine({
        score: (_state, questions) =>
          Promise.resolve(Array.from({ length: questions.length + drop }, () => [0.5, 0.5])),
      });
      await breaks(await startServer(t, { env, decisions: score }), 502, 'bad_gateway');
    }
  });

  test('an engine that is down is 503 with the wait', async (t) => {
    const down = scriptedEngine({
      score: () => Promise.reject(new Fault('service_unavailable', undefined, { cause: new Error(secret) })),
    });
    await breaks(await startServer(t, { env, decisions: down }), 503, 'service_unavailable');
  });

  test('an engine that hangs is 504 when the time is up, whether it listens or not', async (t) => {
    const timed = { ...env, NESTOR_DECISIONS_TIMEOUT_S: '0.1' };
    const listening = scriptedEngine({ score: hangingScore() });
    await breaks(await startServer(t, { env: timed, decisions: listening }), 504, 'gateway_timeout');
    const angry = scriptedEngine({
      score: (_state, _views, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error(secret)));
        }),
    });
    await breaks(await startServer(t, { env: timed, decisions: angry }), 504, 'gateway_timeout');
  });

  test('an engine that neither answers nor listens to its signal is 504 all the same', async (t) => {
    const timed = { ...env, NESTOR_DECISIONS_TIMEOUT_S: '0.1', NESTOR_SHUTDOWN_GRACE_S: '0' };
    const release: (() => void)[] = [];
    const deaf = scriptedEngine({
      score: () => new Promise((_resolve, reject) => void release.push(() => reject(new Error(secret)))),
    });
    const own = await startServer(t, { env: timed, decisions: deaf });
    const { status } = await own.post('/v1/decisions', exampleBodies['createDecision']);
    for (const letGo of release) letGo();
    assert.equal(status, 504);
  });

  test('/readyz is 503 with the part that is down, and 200 again when it is back', async (t) => {
    let health: 'ok' | 'down' = 'down';
    const own = await startServer(t, { env, decisions: scriptedEngine({ health: () => health }) });
    const ready = async () => {
      const response = await fetch(`${own.url}/readyz`);
      const { status, checks } = (await response.json()) as { status: string; checks: object };
      return [response.status, { status, checks }] as const;
    };
    const checks = {
      store: 'ok',
      ledger: 'ok',
      redis: 'not_configured',
      chat: 'not_configured',
      search: 'ok',
      embeddings: 'ok',
    };
    assert.deepEqual(await ready(), [503, { status: 'not_ready', checks: { ...checks, decisions: 'down' } }]);
    health = 'ok';
    assert.deepEqual(await ready(), [200, { status: 'ready', checks: { ...checks, decisions: 'ok' } }]);
  });
});
