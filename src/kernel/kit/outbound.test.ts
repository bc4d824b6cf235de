import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { startUpstream, type UpstreamHandler } from '../../../test/support/upstream.ts';
import { openOutbound } from './outbound.ts';
import type { OutboundRequest } from './outbound-request.ts';
import { hangMs } from '../../../test/support/until.ts';

const signal = new AbortController().signal;

async function start(t: TestContext, handler: UpstreamHandler, responseBytesMax = 100_000) {
  const upstream = await startUpstream(t, handler);
  const outbound = openOutbound({ responseBytesMax, connectionsMax: 4 });
  t.after(() => outbound.close());
  const call = (request: Partial<OutboundRequest> = {}) =>
    outbound.call({
      method: 'POST',
      url: upstream.url,
      json: '{"a":1}',
      timeoutMs: hangMs,
      signal,
      ...request,
    });
  return { upstream, call };
}

suite('the outgoing JSON client', () => {
  test('sends JSON and returns status, headers and the parsed body', async (t) => {
    const { upstream, call } = await start(t, () => ({ json: { b: [1] }, headers: { 'x-a': 'b' } }));
    const outcome = await call({ headers: { authorization: 'Bearer k' } });
    assert.ok(outcome.ok);
    assert.deepEqual([outcome.status, outcome.headers['x-a'], outcome.body], [200, 'b', { b: [1] }]);
    const [seen] = upstream.requests;
    assert.equal(seen?.headers['content-type'], 'application/json');
    assert.equal(seen?.headers['authorization'], 'Bearer k');
    assert.equal(seen?.text, '{"a":1}');
  });

  test('keeps connections for calls in a row', async (t) => {
    const { upstream, call } = await start(t, () => ({ json: {} }));
    for (let i = 0; i < 5; i++) await call();
    // A connection counts as free a moment after its answer is read, so a second one may be opened.
    assert.ok(upstream.connections <= 2);
  });

  test('does not believe the content type, either way', async (t) => {
    const { call } = await start(t, ({ path }) => ({
      text: path === '/json' ? '{"a":1}' : '<html>',
      headers: { 'content-type': path === '/json' ? 'text/html' : 'application/json' },
    }));
    const { upstream, call: other } = await start(t, () => ({
      text: '{"a":1}',
      headers: { 'content-type': 'text/html' },
    }));
    assert.equal((await other({ url: upstream.url })).ok, true);
    const outcome = await call();
    assert.ok(!outcome.ok);
    assert.equal(outcome.failure, 'not_json');
  });

  test('refuses duplicate keys, a byte-order mark, trailing text and an empty body', async (t) => {
    for (const text of ['{"a":1,"a":2}', '\ufeff{}', '{} x', '', '[1,']) {
      const { call } = await start(t, () => ({ text }));
      const outcome = await call();
      assert.ok(!outcome.ok);
      assert.equal(outcome.failure, 'not_json', text);
    }
  });

  test('gives other statuses with their JSON, and follows no redirect', async (t) => {
    for (const status of [301, 307, 400, 404, 500]) {
      const { upstream, call } = await start(t, () => ({
        status,
        headers: { location: '/there', 'retry-after': '3' },
        json: { error: 'x' },
      }));
      const outcome = await call();
      assert.ok(!outcome.ok);
      assert.deepEqual([outcome.failure, outcome.status, outcome.body], ['status', status, { error: 'x' }]);
      assert.equal(outcome.headers['retry-after'], '3');
      assert.equal(upstream.requests.length, 1);
    }
  });

  test('names every way to fail', async (t) => {
    const expected = {
      hang: 'timeout',
      drip: 'timeout',
      cut: 'cut',
      reset: 'connect',
      noise: 'not_json',
      flood: 'too_large',
    } as const;
    for (const [fault, failure] of Object.entries(expected)) {
      const { call } = await start(t, () => ({ fault: fault as keyof typeof expected }));
      const outcome = await call(failure === 'timeout' ? { timeoutMs: 500 } : {});
      assert.ok(!outcome.ok);
      assert.equal(outcome.failure, failure, fault);
      const told = JSON.stringify(outcome, Object.getOwnPropertyNames(outcome.cause));
      assert.ok(!told.includes('upstream-secret-text'), 'what a server wrote is not in the cause');
    }
  });

  test('a port where nobody listens is a failure to connect', async (t) => {
    const { upstream, call } = await start(t, () => ({ json: {} }));
    await upstream.kill();
    const outcome = await call();
    assert.ok(!outcome.ok);
    assert.equal(outcome.failure, 'connect');
  });

  test('an abort rejects with its reason, before, during and after the head', async (t) => {
    for (const fault of ['hang', 'drip'] as const) {
      const { upstream, call } = await start(t, () => ({ fault }));
      const aborting = new AbortController();
      const running = call({ signal: aborting.signal, timeoutMs: hangMs });
      await new Promise((resolve) => setTimeout(resolve, 120));
      aborting.abort(new Error('gone'));
      await assert.rejects(running, { message: 'gone' });
      await new Promise((resolve) => setTimeout(resolve, 30));
      assert.equal(upstream.busy, 0);
      await assert.rejects(call({ signal: aborting.signal }), { message: 'gone' });
      assert.equal(upstream.requests.length, 1);
    }
  });
});
