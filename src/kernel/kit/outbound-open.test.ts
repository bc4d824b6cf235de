import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, test, type TestContext } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { OutboundBroken, openOutbound } from './outbound.ts';
import type { OutboundStreamRequest } from './outbound-request.ts';
import { turnTimers } from '../../../test/support/timers.ts';
import { settle, until } from '../../../test/support/until.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

async function start(t: TestContext, answer: Answer, streamBytesMax = 4_000_000) {
  const gone: Promise<unknown>[] = [];
  const server = createServer((request, response) => {
    request.resume();
    gone.push(once(response, 'close'));
    void answer(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const outbound = openOutbound({ responseBytesMax: 2_000_000, streamBytesMax, connectionsMax: 4 });
  t.after(async () => {
    await outbound.close();
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/path?query=1`;
  const open = (request: Partial<OutboundStreamRequest> = {}) =>
    outbound.open({
      method: 'POST',
      url,
      json: '{"a":1}',
      timeoutMs: 10_000,
      silenceMs: 10_000,
      totalMs: 60_000,
      signal: new AbortController().signal,
      ...request,
    });
  return { open, gone };
}

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString('utf8');
}

const broken = (failure: OutboundBroken['failure']) => (error: unknown) =>
  error instanceof OutboundBroken && error.failure === failure;

suite('the outgoing stream client', () => {
  test('gives chunks as they come, with status and headers', async (t) => {
    const next = Promise.withResolvers<void>();
    const { open } = await start(t, async (response, request) => {
      assert.equal(request.headers.accept, 'text/event-stream');
      assert.equal(request.url, '/path?query=1');
      response.writeHead(201, { 'x-a': 'b' }).write('one');
      await next.promise;
      response.end('two');
    });
    const stream = await open();
    assert.ok(stream.ok);
    assert.deepEqual([stream.status, stream.headers['x-a']], [201, 'b']);
    const seen: string[] = [];
    for await (const chunk of stream.chunks) {
      seen.push(chunk.toString());
      next.resolve();
    }
    assert.deepEqual(seen, ['one', 'two']);
  });

  test('reads a status other than 2xx as JSON, capped', async (t) => {
    const { open } = await start(t, (response, request) => {
      response.writeHead(429, { 'retry-after': '3' });
      response.end(request.method === 'GET' ? 'x'.repeat(1_100_000) : '{"error":"x"}');
    });
    const refused = await open();
    assert.ok(!refused.ok);
    assert.deepEqual([refused.failure, refused.status, refused.body], ['status', 429, { error: 'x' }]);
    assert.equal(refused.headers['retry-after'], '3');
    const { json: _, ...get } = { json: null, method: 'GET' as const };
    const flood = await open(get);
    assert.ok(!flood.ok);
    assert.equal(flood.failure, 'too_large');
  });

  test('what goes wrong before the first byte is an outcome', async (t) => {
    const faults: Record<string, Answer> = {
      timeout: () => {},
      'timeout after the head': (response) => response.writeHead(200).flushHeaders(),
      connect: (response) => response.socket?.resetAndDestroy(),
      'cut after the head': (response) => {
        response.writeHead(200, { 'content-length': '9' }).flushHeaders();
        void settle().then(() => response.destroy());
      },
      not_json: (response) => response.socket?.end('secret\r\n\r\n'),
    };
    const { tick } = turnTimers(t);
    for (const [name, answer] of Object.entries(faults)) {
      const { open, gone } = await start(t, answer);
      const opening = open({ timeoutMs: 150 });
      if (name.startsWith('timeout')) {
        // What the server sent by then has come: both ends are in this process.
        await until(() => gone.length === 1);
        await settle();
        tick(150);
      }
      const outcome = await opening;
      assert.ok(!outcome.ok, name);
      assert.equal(outcome.failure, name.split(' ')[0], name);
      assert.equal(outcome.status, name.includes('head') ? 200 : null);
      assert.ok(!String(outcome.cause).includes('secret'));
    }
  });

  test('an empty body is a stream without chunks', async (t) => {
    const { open } = await start(t, (response) => response.end());
    const stream = await open();
    assert.ok(stream.ok);
    assert.equal(await textOf(stream.chunks), '');
  });

  test('a connection that is cut throws after the chunks that came', async (t) => {
    const { open } = await start(t, (response) => {
      response.write('one');
      void settle().then(() => response.destroy());
    });
    const stream = await open();
    assert.ok(stream.ok);
    const seen: string[] = [];
    await assert.rejects(async () => {
      for await (const chunk of stream.chunks) seen.push(chunk.toString());
    }, broken('cut'));
    assert.deepEqual(seen, ['one']);
  });

  test('an event ends the deadline of the first', async (t) => {
    const timeoutMs = 1_000;
    const end = Promise.withResolvers<void>();
    const { open } = await start(t, async (response) => {
      response.write('.');
      await end.promise;
      response.end('end');
    });
    const { tick } = turnTimers(t);
    const stream = await open({ timeoutMs });
    assert.ok(stream.ok);
    let seen = '';
    for await (const chunk of stream.chunks) {
      seen += chunk.toString();
      stream.progress();
      if (seen === '.') tick(2 * timeoutMs);
      end.resolve();
    }
    assert.equal(seen, '.end', 'longer than the deadline, and all of it read');
  });

  test('an event starts the wait for the next', async (t) => {
    const { open, gone } = await start(t, (response) => response.write('.'));
    const stream = await open({ timeoutMs: 60_000, silenceMs: 200 });
    assert.ok(stream.ok);
    const seen: string[] = [];
    await assert.rejects(async () => {
      for await (const chunk of stream.chunks) {
        seen.push(chunk.toString());
        stream.progress();
      }
    }, broken('timeout'));
    assert.deepEqual(seen, ['.']);
    await gone[0];
  });

  const drip: Answer = (response) => {
    const timer = setInterval(() => response.write('.'), 5);
    response.on('close', () => clearInterval(timer));
  };

  /** Reads what drips, and is told that it took too long once the time is turned. */
  async function readUntilLate(
    chunks: AsyncIterable<Buffer>,
    turn: () => void,
    onChunk: () => void = () => {},
  ): Promise<void> {
    let seen = 0;
    const reading = assert.rejects(async () => {
      for await (const _ of chunks) {
        seen++;
        onChunk();
      }
    }, broken('timeout'));
    await until(() => seen > 2);
    turn();
    await reading;
  }

  test('bytes that complete no event are not waited for, before the first event and between two', async (t) => {
    const bounds = { before: { timeoutMs: 1_000 }, between: { silenceMs: 1_000 } };
    const { tick } = turnTimers(t);
    for (const [place, bound] of Object.entries(bounds)) {
      const { open, gone } = await start(t, drip);
      const stream = await open(bound);
      assert.ok(stream.ok);
      if (place === 'between') stream.progress();
      await readUntilLate(stream.chunks, () => tick(1_000));
      await gone[0];
    }
  });

  test('a whole answer has an end, however many events it has', async (t) => {
    const { open, gone } = await start(t, drip);
    const { tick } = turnTimers(t);
    const stream = await open({ totalMs: 1_000 });
    assert.ok(stream.ok);
    await readUntilLate(
      stream.chunks,
      () => tick(1_000),
      () => stream.progress(),
    );
    await gone[0];
  });

  test('a slow reader is not a silent server, and pauses the connection', async (t) => {
    const total = 65_536 * 1_000;
    let sent = 0;
    const block = Buffer.alloc(65_536, 'x');
    const { open } = await start(
      t,
      (response) => {
        const pour = () => {
          for (let flowing = true; flowing && sent < total; sent += block.length)
            flowing = response.write(block);
          if (sent < total) response.once('drain', pour);
          else response.end();
        };
        pour();
      },
      100_000_000,
    );
    const { tick } = turnTimers(t);
    const stream = await open({ silenceMs: 100 });
    assert.ok(stream.ok);
    stream.progress();
    await settle(500);
    tick(400);
    assert.ok(sent < total / 2, `${sent} bytes were taken from a server whose reader does not read`);
    let size = 0;
    for await (const chunk of stream.chunks) {
      size += chunk.length;
      stream.progress();
    }
    assert.equal(size, total);
  });

  test('more bytes than the cap break the stream', async (t) => {
    const { open, gone } = await start(
      t,
      (response) => {
        const timer = setInterval(() => response.write('x'.repeat(1_000)), 1);
        response.on('close', () => clearInterval(timer));
      },
      5_000,
    );
    const stream = await open();
    assert.ok(stream.ok);
    await assert.rejects(textOf(stream.chunks), broken('too_large'));
    await gone[0];
  });

  test('an abort rejects with its reason and closes the connection: waiting, reading and idle', async (t) => {
    for (const answer of [() => {}, (response: ServerResponse) => response.write('one')] as Answer[]) {
      const { open, gone } = await start(t, answer);
      const aborting = new AbortController();
      const running = open({ signal: aborting.signal }).then(async (stream) => {
        assert.ok(stream.ok);
        return textOf(stream.chunks);
      });
      await until(() => gone.length === 1);
      await settle();
      aborting.abort(new Error('gone'));
      await assert.rejects(running, { message: 'gone' });
      await gone[0];
      await assert.rejects(open({ signal: aborting.signal }), { message: 'gone' });
      assert.equal(gone.length, 1);
    }
  });

  test('a reader that stops early closes the connection', async (t) => {
    const { open, gone } = await start(t, (response) => response.write('one'));
    const stream = await open();
    assert.ok(stream.ok);
    for await (const chunk of stream.chunks) {
      assert.equal(chunk.toString(), 'one');
      break;
    }
    await gone[0];
  });

  test('an encoding that nobody asked for is undone as it comes', async (t) => {
    const encodings = {
      gzip: gzipSync,
      deflate: deflateSync,
      br: brotliCompressSync,
      zstd: zstdCompressSync,
    };
    for (const [encoding, compress] of Object.entries(encodings)) {
      const { open } = await start(t, (response) => {
        const body = compress(Buffer.from('data: é\n\n'.repeat(50)));
        response.writeHead(200, { 'content-encoding': encoding });
        response.write(body.subarray(0, 9));
        void settle().then(() => response.end(body.subarray(9)));
      });
      const stream = await open();
      assert.ok(stream.ok);
      assert.equal(await textOf(stream.chunks), 'data: é\n\n'.repeat(50), encoding);
    }
  });

  test('a broken encoding, a cut one and a bomb break the stream', async (t) => {
    const bodies: [OutboundBroken['failure'], Answer][] = [
      ['cut', (response) => response.end('not gzip')],
      ['cut', (response) => response.end(gzipSync('x'.repeat(1_000)).subarray(0, 20))],
      ['too_large', (response) => response.end(gzipSync(Buffer.alloc(20_000_000)))],
      [
        'cut',
        (response) => {
          response.write(gzipSync('x'.repeat(1_000)).subarray(0, 20));
          void settle().then(() => response.destroy());
        },
      ],
    ];
    for (const [failure, answer] of bodies) {
      const { open } = await start(t, (response, request) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        void answer(response, request);
      });
      const stream = await open();
      assert.ok(stream.ok);
      await assert.rejects(textOf(stream.chunks), broken(failure));
    }
  });
});
