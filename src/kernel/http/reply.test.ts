import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite, test } from 'node:test';
import { Fault } from '../faults.ts';
import { operationOf, serve } from './made-up.fixture.ts';
import { bytes, created, noContent, stream, type StreamReply } from './operation.ts';
import { turnTimers } from '../../../test/support/timers.ts';
import { settle, until } from '../../../test/support/until.ts';

function streamOf(events: StreamReply['events'], more: Partial<StreamReply> = {}): StreamReply {
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

/** What it has come to once it comes no further. */
async function stalled(count: () => number): Promise<number> {
  let before = -1;
  await until(async () => {
    const isStill = count() > 0 && count() === before;
    before = count();
    await settle(200);
    return isStill;
  });
  return count();
}

suite('streams', () => {
  test('events are written as they are, with the headers of a stream', async (t) => {
    const { url, records } = await serve(
      t,
      operationOf(() =>
        streamOf(
          (async function* () {
            yield [{ event: 'a', data: '{"n":1}' }];
            await settle(1);
            yield [{ data: '[DONE]' }];
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
    await until(() => records.length > 0);
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
            await settle(1);
            if (Date.now() > 0) throw new Fault('bad_gateway');
            yield [{ data: 'never' }];
          })(),
        ),
      ),
    );
    const response = await fetch(`${url}/made`);
    assert.equal(response.status, 502);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(((await response.json()) as { error: { code: number } }).error.code, 502);
  });

  test('a source that begins with a failure is left, which need not have ended by it', async (t) => {
    let left = 0;
    const source = {
      next: () => Promise.reject(new Fault('bad_gateway')),
      return: () => Promise.resolve({ done: true, value: undefined } as const).finally(() => left++),
    };
    const { url } = await serve(
      t,
      operationOf(() => streamOf({ [Symbol.asyncIterator]: () => source })),
    );
    assert.equal((await fetch(`${url}/made`)).status, 502);
    assert.equal(left, 1);
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
              yield [{ data: '1' }];
              await settle(1);
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
      await until(() => records.length > 0);
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
              yield [{ data: '1' }];
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
          yield [{ data: 'x'.repeat(16_384) }];
          // Without this a socket that takes everything at once would starve the test.
          if (made % 16 === 0) await settle(1);
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
    const stalledAt = await stalled(() => made);
    assert.ok(
      stalledAt > 0 && stalledAt < 2_000,
      `${stalledAt} events were made for a client that reads none`,
    );
    socket.destroy();
    await until(() => returned && records.length > 0, 'the producer was ended');
    assert.equal(records[0]?.fault?.code, 'client_closed');
  });

  test('a client that takes nothing has a limit, which is off while it reads', async (t) => {
    const batches = 400;
    const events = async function* () {
      for (let at = 0; at < batches; at++) yield [{ data: 'x'.repeat(65_536) }];
    };
    const whole = bytes(Buffer.alloc(batches * 65_536), 'application/zip');
    for (const reply of [() => streamOf(events()), () => whole]) {
      const { port, sockets } = await serve(t, operationOf(reply));
      const client = connect(port, '127.0.0.1');
      await once(client, 'connect');
      client.pause();
      client.write('GET /made HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      await until(() => sockets[0]?.timeout === 120_000);
      let read = 0;
      client.on('data', (chunk: Buffer) => (read += chunk.length));
      client.resume();
      await once(client, 'end');
      assert.ok(read > batches * 65_536, 'one that reads again gets everything');
    }
  });

  test('a silent stream is kept alive with its ping', async (t) => {
    const { tick } = turnTimers(t, 'setInterval');
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const { url } = await serve(
      t,
      operationOf(() =>
        streamOf(
          (async function* () {
            yield [{ data: '1' }];
            await gate;
            yield [{ data: '2' }];
          })(),
          { ping: ': still here\n\n' },
        ),
      ),
    );
    const response = await fetch(`${url}/made`);
    await settle();
    tick(15_000);
    tick(15_000);
    release();
    assert.equal(await response.text(), 'data: 1\n\n: still here\n\n: still here\n\ndata: 2\n\n');
  });

  test('HEAD on a stream has no body, and waits for no event', async (t) => {
    const silent = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    const { url } = await serve(
      t,
      operationOf(() => streamOf(silent)),
    );
    const response = await fetch(`${url}/made`, { method: 'HEAD' });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.equal(await response.text(), '');
  });

  test('a batch is one write, and an empty one is none', async (t) => {
    const batches = [[{ data: '1' }, { event: 'a', data: '2' }], [], [{ data: '3' }]];
    const { port } = await serve(
      t,
      operationOf(() =>
        streamOf(
          (async function* () {
            for (const batch of batches) {
              yield batch;
              await settle();
            }
          })(),
        ),
      ),
    );
    const socket = connect(port, '127.0.0.1');
    let raw = '';
    socket.on('data', (chunk: Buffer) => (raw += chunk.toString()));
    await once(socket, 'connect');
    socket.write('GET /made HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await once(socket, 'close');
    // Node frames each write as one chunk.
    const chunks = raw.slice(raw.indexOf('\r\n\r\n') + 4).split(/[0-9a-f]+\r\n/);
    assert.deepEqual(
      chunks.map((chunk) => chunk.trim()).filter((chunk) => chunk !== ''),
      ['data: 1\n\nevent: a\ndata: 2', 'data: 3'],
    );
  });

  test('billing is asked once when a stream that began has ended, however it ended', async (t) => {
    let asked = 0;
    const billing = () => ({
      model: 'm',
      inputTokens: 1,
      outputTokens: 2 + asked++,
      otherUnits: { searches: 3 },
      costParts: {},
    });
    const ends = {
      whole: async function* () {
        yield [{ data: '1' }];
      },
      failed: async function* () {
        yield [{ data: '1' }];
        throw new Fault('bad_gateway');
      },
      'failed at once': async function* () {
        if (Date.now() > 0) throw new Fault('bad_gateway');
        yield [{ data: '1' }];
      },
    };
    for (const [about, events] of Object.entries(ends)) {
      asked = 0;
      const { url, records } = await serve(
        t,
        operationOf(() => streamOf(events(), { billing })),
      );
      await (await fetch(`${url}/made`)).text();
      await until(() => records.length > 0);
      const isTold = about !== 'failed at once';
      assert.equal(asked, isTold ? 1 : 0, about);
      assert.equal(records[0]?.billing?.outputTokens, isTold ? 2 : undefined, about);
      assert.deepEqual(records[0]?.billing?.otherUnits, isTold ? { searches: 3 } : undefined);
    }
  });

  test('billing of a stream whose client left is kept', async (t) => {
    const left = Promise.withResolvers<void>();
    const { url, records } = await serve(
      t,
      operationOf(({ signal }) =>
        streamOf(
          (async function* () {
            yield [{ data: '1' }];
            await once(signal, 'abort');
            left.resolve();
          })(),
          { billing: () => ({ model: null, inputTokens: 7, outputTokens: 0, costParts: {} }) },
        ),
      ),
    );
    const client = new AbortController();
    await fetch(`${url}/made`, { signal: client.signal });
    client.abort();
    await left.promise;
    await until(() => records.length > 0);
    assert.deepEqual([records[0]?.fault?.code, records[0]?.billing?.inputTokens], ['client_closed', 7]);
  });

  test('billing that fails is a defect of ours: told in the record, and no stream that was not billed ends', async (t) => {
    const { url, records } = await serve(
      t,
      operationOf(() =>
        streamOf(
          (async function* () {
            yield [{ data: '1' }];
          })(),
          {
            billing: () => {
              throw new TypeError('no such sum');
            },
          },
        ),
      ),
    );
    await assert.rejects(async () => (await fetch(`${url}/made`)).text());
    await until(() => records.length > 0);
    assert.deepEqual([records[0]?.fault?.code, records[0]?.billing], ['internal', null]);
  });
});

suite('replies without JSON', () => {
  test('bytes are written as they are, with their type, length and billing', async (t) => {
    const content = Uint8Array.from([0, 255, 13, 10, 128]);
    const billing = { model: 'm', inputTokens: 1, outputTokens: 2, costParts: {} };
    const { url, records } = await serve(
      t,
      operationOf(() => bytes(content, 'application/zip', { 'content-disposition': 'attachment' }, billing)),
    );
    const response = await fetch(`${url}/made`);
    assert.deepEqual(new Uint8Array(await response.arrayBuffer()), content);
    assert.deepEqual(
      ['content-type', 'content-length', 'content-disposition'].map((name) => response.headers.get(name)),
      ['application/zip', '5', 'attachment'],
    );
    assert.match(String(response.headers.get('x-request-id')), /^[0-9a-f-]{36}$/);
    const head = await fetch(`${url}/made`, { method: 'HEAD' });
    assert.deepEqual([head.headers.get('content-length'), await head.text()], ['5', '']);
    assert.equal(records[0]?.billing, billing);
  });

  test('created is 201 with its body, no content is 204 without one', async (t) => {
    const { url, records } = await serve(
      t,
      operationOf(() => created({ id: 1 }, { location: '/made/1' })),
      operationOf(() => noContent(), { id: 'gone', method: 'DELETE' }),
    );
    const made = await fetch(`${url}/made`);
    assert.deepEqual(
      [made.status, made.headers.get('location'), await made.json()],
      [201, '/made/1', { id: 1 }],
    );
    const gone = await fetch(`${url}/made`, { method: 'DELETE' });
    assert.deepEqual([gone.status, await gone.text(), gone.headers.get('content-type')], [204, '', null]);
    assert.match(String(gone.headers.get('x-request-id')), /^[0-9a-f-]{36}$/);
    assert.deepEqual(
      records.map(({ status }) => status),
      [201, 204],
    );
  });

  test('a stream made in short has the status and the ping of streams', () => {
    const events = (async function* () {
      yield [{ data: '1' }];
    })();
    const { status, headers, ping } = stream(events, () => []);
    assert.deepEqual([status, headers, ping], [200, {}, ': ping\n\n']);
  });
});
