/**
 * Tests of which most fail, each where the error happens: test-scopes.test.ts looks at what is told of them.
 */
import assert from 'node:assert/strict';
import { executionAsyncId } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { after, afterEach, before, getTestContext, suite, test } from 'node:test';

const never = (signal: AbortSignal) => once(signal, 'abort').catch(() => {});
const hooks: string[] = [];
const server = createServer((socket) => socket.end());
server.listen(0);
// What stands behind it is still of this file.
await once(server, 'listening');
after(() => server.close());

suite('what happens in a test is told of it', () => {
  before(() => void hooks.push('first'));
  afterEach(() => void hooks.push('each'));

  test('thrown by a timer', async ({ signal }) => {
    setTimeout(() => {
      throw new Error('thrown');
    }, 1);
    await never(signal);
  });

  test('thrown behind a promise', async ({ signal }) => {
    void setImmediate().then(() => assert.fail('rejected'));
    await never(signal);
  });

  test('a test in a test, behind what was waited for', async () => {
    const { port } = server.address() as AddressInfo;
    const { connect } = await import('node:net');
    await once(connect(port).resume(), 'close');
    await test('knows its own name', async () => {
      await setImmediate();
      assert.equal(getTestContext()?.name, 'knows its own name');
    });
    await test('fails alone', () => assert.fail('of the inner one'));
  });

  suite('two at once', { concurrency: true }, () => {
    for (const name of ['one', 'another'])
      test(name, async () => {
        for (let turn = 0; turn < 5; turn++) await setImmediate();
        assert.equal(getTestContext()?.name, name);
      });
  });
});

test('hooks of a suite are its own', () => {
  assert.deepEqual(new Set(hooks), new Set(['first', 'each']));
});

test('no hook follows a promise', async () => {
  await Promise.resolve();
  const first = executionAsyncId();
  await Promise.resolve();
  assert.equal(executionAsyncId(), first);
});
