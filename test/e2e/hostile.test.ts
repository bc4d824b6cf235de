import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { Fault } from '../../src/kernel/faults.ts';
import { hangingScore, scriptedEngine } from '../support/engines.ts';
import { ask, exampleBodies } from '../support/examples.ts';
import { createClient, openSocket, parseResponses, readSocket, type RawResponse } from '../support/http.ts';
import { startServer } from '../support/server.ts';
import { assertError } from '../support/strict.ts';
import { settle } from '../support/until.ts';

/** What no honest client does: each time the server answers in its own words, or closes, and serves on. */

const env = { NESTOR_RATE_LIMITS_ENABLED: 'false', NESTOR_SHUTDOWN_GRACE_S: '1' };
const engine = scriptedEngine();
const server = await startServer({ after }, { env, decisions: engine });
const send = createClient(server.url);
after(() => {
  send.close();
});
const bearer = { authorization: `Bearer ${server.key}` };
const head = (length: number | string) =>
  `POST /v1/decisions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${server.key}\r\nContent-Length: ${length}\r\n`;
const valid = JSON.stringify(exampleBodies['createDecision']);
const whole = `${head(Buffer.byteLength(valid))}\r\n${valid}`;

async function assertServes(): Promise<void> {
  const received = await send({ method: 'POST', path: '/v1/decisions', body: valid, headers: bearer });
  assert.equal(received.status, 200, received.text);
}

/** Sends bytes on a socket of their own and reads what comes back until the server ends. */
async function exchange(
  bytes: string | Buffer,
  isEnough?: (text: string) => boolean,
): Promise<RawResponse[]> {
  const socket = await openSocket(server.url);
  const reading = readSocket(socket, isEnough);
  socket.write(bytes);
  const raw = await reading;
  socket.destroy();
  return parseResponses(raw);
}

const one = (text: string) => /\r\n\r\n\{.*\}$/s.test(text);

suite('bodies', () => {
  test('33 MB are refused while they arrive, and the connection is closed', async () => {
    for (const chunked of [false, true]) {
      const body = Buffer.alloc(33_554_432 + 1_000_000, 0x61);
      assertError(
        await send({ method: 'POST', path: '/v1/decisions', body, chunked, headers: bearer }),
        'decisions',
        413,
        'large',
      );
      await assertServes();
    }
  });

  test('an endless chunked body is cut at the limit', async () => {
    const socket = await openSocket(server.url);
    const reading = readSocket(socket, undefined, 10_000);
    socket.write(head('x').replace('Content-Length: x', 'Transfer-Encoding: chunked') + '\r\n');
    const chunk = Buffer.concat([
      Buffer.from('100000\r\n'),
      Buffer.alloc(0x10_0000, 0x20),
      Buffer.from('\r\n'),
    ]);
    let sent = 0;
    const pump = setInterval(() => {
      if (socket.destroyed || socket.writableLength > 4_000_000) return;
      sent += chunk.length;
      socket.write(chunk);
    }, 1);
    const [response] = parseResponses(await reading);
    clearInterval(pump);
    socket.destroy();
    assert.ok(response);
    assertError(response, 'decisions', 413, 'endless');
    assert.ok(sent < 140_000_000);
    await assertServes();
  });

  test('deep nesting is refused, 1,000 and 1,000,000 levels alike', async () => {
    for (const depth of [65, 1_000, 1_000_000]) {
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const) {
        const state = `${open.repeat(depth)}1${close.repeat(depth)}`;
        const body = JSON.stringify(ask({ type: 'noul', instructions: 'x' })).replace(
          '"x","q',
          `${state},"q`,
        );
        const received = await send({ method: 'POST', path: '/v1/decisions', body, headers: bearer });
        assertError(received, 'decisions', 400, `${depth} levels`);
        const unclosed = await send({
          method: 'POST',
          path: '/v1/decisions',
          body: open.repeat(depth),
          headers: bearer,
        });
        assertError(unclosed, 'decisions', 400, `${depth} unclosed`);
      }
    }
    await assertServes();
  });

  test('many keys, many duplicates and long runs of backslashes are refused, each for its reason', async () => {
    const bodies = [
      [`{${Array.from({ length: 200_000 }, (_, index) => `"k${index}":1`).join(',')}}`, 413],
      [`{${Array.from({ length: 120_000 }, (_, index) => `"k${index}":1`).join(',')}}`, 400],
      [`{${'"a":1,'.repeat(100_000)}"a":1}`, 400],
      [`{"a":"${'\\\\'.repeat(2_000_000)}"}`, 400],
      [`{"a":"${'\\"'.repeat(2_000_000)}"}`, 400],
      [`{"${'\\u0061'.repeat(500_000)}":1}`, 400],
      [`[${'{"1":1},'.repeat(200_000)}1]`, 413],
      [`{"a":${'9'.repeat(3_000_000)}}`, 400],
    ] as const;
    for (const [body, status] of bodies) {
      const received = await send({ method: 'POST', path: '/v1/decisions', body, headers: bearer });
      assertError(received, 'decisions', status, body.slice(0, 20));
    }
    await assertServes();
  });

  test('a body that stalls holds nobody else up', async () => {
    const sockets = await Promise.all(Array.from({ length: 50 }, () => openSocket(server.url)));
    for (const socket of sockets) socket.write(`${head(1_000)}\r\n{"model":`);
    const trickle = await openSocket(server.url);
    trickle.write('POST /v1/decisions HT');
    await assertServes();
    for (const socket of [...sockets, trickle]) socket.destroy();
    await assertServes();
  });

  test('a body sent byte by byte is read whole', async () => {
    const socket = await openSocket(server.url);
    socket.setNoDelay(true);
    const reading = readSocket(socket, one);
    for (const byte of Buffer.from(whole)) {
      socket.write(Buffer.from([byte]));
      if (byte === 0x7b) await settle(2);
    }
    assert.equal(parseResponses(await reading)[0]?.status, 200);
    socket.destroy();
  });
});

suite('connections', () => {
  test('a client that ends its side after the request still gets the answer', async () => {
    const socket = await openSocket(server.url);
    const reading = readSocket(socket, one);
    socket.end(whole);
    const [response] = parseResponses(await reading);
    assert.equal(response?.status, 200);
    await assertServes();
  });

  test('a client that ends its side in the middle of the body is let go', async () => {
    const socket = await openSocket(server.url);
    const reading = readSocket(socket);
    socket.end(`${head(1_000)}\r\n{"model":`);
    const raw = await reading;
    assert.ok(raw === '' || raw.startsWith('HTTP/1.1 400 '), raw);
    await assertServes();
  });

  test('a client that is gone in the middle of the body leaves no trace but a log line', async () => {
    const before = server.log.length;
    for (let i = 0; i < 20; i++) {
      const socket = await openSocket(server.url);
      socket.write(`${head(1_000)}\r\n{"model":`);
      await settle();
      socket.resetAndDestroy();
    }
    await assertServes();
    await settle();
    assert.deepEqual(
      server.log.slice(before).filter(({ level }) => Number(level) >= 50),
      [],
    );
  });

  test('a client that is gone while the engine works aborts it', async (t) => {
    const aborted = Promise.withResolvers<unknown>();
    const begun = Promise.withResolvers<void>();
    const score = hangingScore(aborted.resolve, begun.resolve);
    const own = await startServer(t, { env, decisions: scriptedEngine({ score }) });
    const socket = await openSocket(own.url);
    socket.write(whole);
    await begun.promise;
    socket.destroy();
    const reason = await aborted.promise;
    assert.ok(reason instanceof Fault && reason.code === 'client_closed');
    assert.equal((await fetch(`${own.url}/healthz`)).status, 200);
    await settle();
    assert.deepEqual(
      own.log.filter(({ level }) => Number(level) >= 50),
      [],
    );
  });

  test('the rest of a pipeline is answered in order, also after an oversized request', async () => {
    const two = await exchange(whole + whole, (text) => text.split('"usage"').length === 3 && one(text));
    assert.deepEqual(
      two.map(({ status }) => status),
      [200, 200],
    );
    const oversized = `${head(33_554_432)}\r\n{`;
    const mixed = await exchange(whole + oversized, (text) => text.includes('exceeds'));
    assert.deepEqual(
      mixed.map(({ status }) => status),
      [200, 413],
    );
    const first = await exchange(oversized + whole);
    assert.deepEqual(
      first.map(({ status }) => status),
      [413],
      'what follows an unread body is not a request',
    );
    await assertServes();
  });

  test('413 closes the connection, also as the second answer of a pipeline', async () => {
    const [, refused] = await exchange(`${whole}${head(33_554_432)}\r\n{`, (text) =>
      text.includes('exceeds'),
    );
    assert.ok(refused);
    assertError(refused, 'decisions', 413, 'second of a pipeline');
    assert.equal(refused.headers['connection'], 'close');
  });

  test('a refused small body does not break the next request of the connection', async () => {
    const small = `POST /v1/decisions HTTP/1.1\r\nHost: a\r\nContent-Length: ${valid.length}\r\n\r\n${valid}`;
    const responses = await exchange(small + whole, (text) => text.includes('"usage"') && one(text));
    assert.deepEqual(
      responses.map(({ status }) => status),
      [401, 200],
    );
  });

  test('an unknown expectation is not held against a request, and 100-continue is met', async () => {
    const received = await send({
      method: 'POST',
      path: '/v1/decisions',
      body: valid,
      headers: { ...bearer, expect: 'miracles' },
    });
    assert.equal(received.status, 200);
    const socket = await openSocket(server.url);
    const continued = Promise.withResolvers<void>();
    const reading = readSocket(socket, (text) => {
      if (text.startsWith('HTTP/1.1 100 ')) continued.resolve();
      return text.startsWith('HTTP/1.1 100 ') && one(text);
    });
    socket.write(`${head(Buffer.byteLength(valid))}Expect: 100-continue\r\n\r\n`);
    await continued.promise;
    socket.write(valid);
    assert.equal(parseResponses(await reading)[0]?.status, 200);
    socket.destroy();
  });
});

suite('requests that are no requests', () => {
  test('garbage is 400 JSON with a request id', async () => {
    const garbage = [
      '\r\n\r\ngarbage\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      'GET\r\n\r\n',
      'FOO / HTTP/1.1\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      'GET / HTTP/1.1\r\nHost a\r\n\r\n',
      `POST /v1/decisions HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
      `POST /v1/decisions HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n`,
      `POST /v1/decisions HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
      `POST /v1/decisions HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nAuthorization: Bearer ${server.key}\r\n\r\nZZ\r\n`,
      'GET / HTTP/1.1\r\nHost: a\r\nX: \x00\r\n\r\n',
    ];
    for (const bytes of garbage) {
      const responses = await exchange(Buffer.from(bytes, 'latin1'));
      const last = responses.at(-1);
      assert.ok(last, JSON.stringify(bytes));
      assertError(last, 'plain', 400, JSON.stringify(bytes));
      assert.equal(last.headers['connection'], 'close');
    }
    await assertServes();
  });

  test('headers beyond measure are refused in JSON', async () => {
    const [response] = await exchange(
      `GET /healthz HTTP/1.1\r\nHost: a\r\nX-Long: ${'a'.repeat(70_000)}\r\n\r\n`,
    );
    assert.ok(response);
    assertError(response, 'plain', 431, 'a header of 70,000 characters');
    await assertServes();
  });

  test('a path that is no percent-encoding is 404 JSON, and so is one of 8,000 characters', async () => {
    for (const path of [
      '/%',
      '/%ZZ',
      '/v1/%E0%A4%A',
      '/%00',
      `/${'a'.repeat(8_000)}`,
      '/v1/decisions%',
      '/%2e%2e/etc/passwd',
      '/../../etc/passwd',
      '/v1/../healthz',
      '/\\',
      '/?',
      '/;',
    ]) {
      const received = await send({ path });
      if (['/?'].includes(path)) assert.equal(received.status, 200);
      else assertError(received, 'plain', 404, path);
    }
    await assertServes();
  });

  test('an absolute-form target is the path that it names; other forms are unknown', async () => {
    const statusOf = async (target: string) =>
      (await exchange(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`))[0]?.status;
    assert.equal(await statusOf('http://any.example/healthz'), 200);
    assert.equal(await statusOf('https://any.example:1/healthz?a=b'), 200);
    assert.equal(await statusOf('http://any.example'), 200);
    assert.equal(await statusOf('http://any.example/nothing'), 404);
    assert.equal(await statusOf('//any.example/healthz'), 404);
    const [options] = await exchange('OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    assert.equal(options?.status, 404);
    await assertServes();
  });

  test('an encoded path is the path that it encodes, for every method', async () => {
    const encoded = '/%68ealthz';
    assert.equal((await send({ path: encoded })).status, 200);
    const wrong = await send({ method: 'POST', path: encoded });
    assert.deepEqual([wrong.status, wrong.headers.allow], [405, 'GET, HEAD']);
    // An encoded slash is part of a name, and what does not decode is no path.
    for (const path of ['/v1%2Fmodels', '/v1/%zz']) assertError(await send({ path }), 'plain', 404, path);
    await assertServes();
  });

  test('two Host headers are refused, whichever of them is right', async () => {
    for (const hosts of ['Host: a\r\nHost: a', 'Host: a\r\nhOsT: b', 'HOST: b\r\nX: y\r\nHost: a']) {
      for (const path of ['/healthz', '/nothing']) {
        const [received] = await exchange(`GET ${path} HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`);
        assert.equal(received?.status, 400, hosts);
        assert.match(received.text, /must have one Host header/);
      }
    }
    await assertServes();
  });

  test('CONNECT and upgrades are refused without harm', async () => {
    const socket = await openSocket(server.url);
    const reading = readSocket(socket, (text) => text.includes('\r\n\r\n'));
    socket.write('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n');
    const raw = await reading;
    assert.ok(!raw.startsWith('HTTP/1.1 2'), raw);
    socket.destroy();
    const [upgraded] = await exchange(
      'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
      one,
    );
    assert.equal(upgraded?.status, 200);
    await assertServes();
  });

  test('a request names one host, or is refused in the words of its surface', async () => {
    for (const hosts of ['', 'Host: a\r\nHost: b\r\n', 'Host: a\r\nhost: a\r\n']) {
      const [response] = await exchange(`GET /healthz HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
      assert.ok(response, hosts);
      assertError(response, 'plain', 400, hosts);
      const [routed] = await exchange(
        `POST /router/v1/messages HTTP/1.1\r\n${hosts}Connection: close\r\nContent-Length: 2\r\n\r\n{}`,
      );
      assert.ok(routed, hosts);
      assertError(routed, 'messages', 400, hosts);
    }
    await assertServes();
  });

  test('a method with a body of its own, of which nobody tells the type, is 405 JSON', async () => {
    for (const more of ['', 'Content-Type: ;;\r\nContent-Length: 2\r\n']) {
      const [response] = await exchange(
        `QUERY /v1/decisions HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${more}\r\n{}`,
      );
      assert.ok(response);
      assertError(response, 'decisions', 405, more);
      assert.equal(response.headers['allow'], 'POST');
    }
    await assertServes();
  });

  test('HTTP/1.0 is served', async () => {
    const [response] = await exchange('GET /healthz HTTP/1.0\r\n\r\n');
    assert.equal(response?.status, 200);
  });
});
