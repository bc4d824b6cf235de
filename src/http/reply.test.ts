import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { suite, test } from 'node:test';
import { Fault } from '../faults.ts';
import type { ServerSentEvent } from '../kit/sse.ts';
import { operationOf, serve } from './made-up.fixture.ts';
import type { StreamReply } from './operation.ts';

function streamOf(events: AsyncIterable<ServerSentEvent>, more: Partial<StreamReply> = {}): StreamReply {
  return {
    status: 200,
    headers: { 'x-made': '1' },
    events,
    endWith: (fault, requestId) => [
      { event: 'error', data: JSON.stringify({ code: fault.code, requestId }) },
      { data: '[DONE]' },
    ],
    ping: ': ping\n\n',
    ...more,
  };
}

suite('streams', () => {
  test('events are written as they are, with the headers of a stream', async (t) => {
    const { url, records } = await serve(
      t,
      operationOf(() =>
        streamOf(
          (async function* () {
            yield { event: 'a', data: '{"n":1}' };
            await delay(5);
            yield { data: '[DONE]' };
          })(),
        ),
      ),
    );
    const response = await fetch(`${url}/made`);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.equal(response.headers.get('cache-control'), 'no-cache, no-transform');
    assert.equal(response.headers.get('x-accel-buffering'), 'no');
    assert.equal(response.headers.get('x-made'), '1');
    assert.match(String(response.headers.get('x-request-id')), /^[0-9a-f-]{36}$/);
    assert.equal(await response.text(), 'event: a\ndata: {"n":1}\n\ndata: [DONE]\n\n');
    await delay(5);
    assert.deepEqual(
      records.map(({ status, fault }) => [status, fault]),
      [[200, null]],
    );
  });

  test('what fails before the first event is a plain HTTP error', async (t) => {
    const { url } = await serve(
      t,
      operationOf(() =>
        streamOf(
          (async function* () {
            await delay(1);
            if (Date.now() > 0) throw new Fault('bad_gateway');
            yield { data: 'never' };
          })(),
        ),
      ),
    );
    const response = await fetch(`${url}/made`);
    assert.equal(response.status, 502);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(((await response.json()) as { error: { code: number } }).error.code, 502);
  });

  test('what fails later is told in the form of the stream, with nothing after it', async (t) => {
    for (const [thrown, code] of [
      [new Fault('bad_gateway'), 'bad_gateway'],
      [new Error('secret'), 'internal'],
    ] as const) {
      const { url, records } = await serve(
        t,
        operationOf(() =>
          streamOf(
            (async function* () {
              yield { data: '1' };
              await delay(1);
              throw thrown;
            })(),
          ),
        ),
      );
      const response = await fetch(`${url}/made`);
      const text = await response.text();
      assert.equal(response.status, 200);
      const id = response.headers.get('x-request-id');
      assert.equal(
        text,
        `data: 1\n\nevent: error\ndata: {"code":"${code}","requestId":"${id}"}\n\ndata: [DONE]\n\n`,
      );
      await delay(5);
      assert.equal(records[0]?.fault?.code, code);
    }
  });

  test('the timeout of the operation ends a stream in its own form', async (t) => {
    const { url } = await serve(
      t,
      operationOf(
        ({ signal }) =>
          streamOf(
            (async function* () {
              yield { data: '1' };
              await once(signal, 'abort');
              throw signal.reason;
            })(),
          ),
        { timeoutMs: 50 },
      ),
    );
    assert.match(await (await fetch(`${url}/made`)).text(), /"code":"gateway_timeout"/);
  });

  test('the producer goes no faster than the client reads, and is told when the client is gone', async (t) => {
    let made = 0;
    let returned = false;
    const events = async function* () {
      try {
        for (; made < 10_000; made++) {
          yield { data: 'x'.repeat(16_384) };
          // Without this a socket that takes everything at once would starve the test.
          if (made % 16 === 0) await delay(0);
        }
      } finally {
        returned = true;
      }
    };
    const { port, records } = await serve(
      t,
      operationOf(() => streamOf(events())),
    );
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.pause();
    socket.write('GET /made HTTP/1.1\r\nHost: a\r\n\r\n');
    await delay(300);
    const stalledAt = made;
    assert.ok(
      stalledAt > 0 && stalledAt < 2_000,
      `${stalledAt} events were made for a client that reads none`,
    );
    await delay(100);
    assert.ok(made <= stalledAt + 16);
    socket.destroy();
    await delay(100);
    assert.ok(returned, 'the producer was ended');
    assert.equal(records[0]?.fault?.code, 'client_closed');
  });

  test('a silent stream is kept alive with its ping', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const { url } = await serve(
      t,
      operationOf(() =>
        streamOf(
          (async function* () {
            yield { data: '1' };
            await gate;
            yield { data: '2' };
          })(),
          { ping: ': still here\n\n' },
        ),
      ),
    );
    const response = await fetch(`${url}/made`);
    await delay(20);
    t.mock.timers.tick(15_000);
    t.mock.timers.tick(15_000);
    await delay(20);
    release();
    assert.equal(await response.text(), 'data: 1\n\n: still here\n\n: still here\n\ndata: 2\n\n');
  });

  test('HEAD on a stream has no body', async (t) => {
    const { url } = await serve(
      t,
      operationOf(() =>
        streamOf(
          (async function* () {
            yield { data: '1' };
          })(),
        ),
      ),
    );
    const response = await fetch(`${url}/made`, { method: 'HEAD' });
    assert.equal(response.status, 200);
    assert.equal(await response.text(), '');
  });
});
