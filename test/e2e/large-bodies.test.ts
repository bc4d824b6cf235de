import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { createClient, errorOf, openSocket, readSocket, type Received } from '../support/http.ts';
import { variationsOf } from '../support/rounds.ts';
import { rootKey } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { spawnServer } from './server-process.ts';

/** Bodies that are made to hold a server up or to fill its memory, sent to a process with little memory. */

const server = await spawnServer(await temporaryFolder({ after }), {
  NESTOR_ROOT_KEY: rootKey,
  NESTOR_DETECT: 'false',
  NESTOR_SANDBOX_RUNNER: 'off',
  NESTOR_RATE_LIMITS_ENABLED: 'false',
  NODE_OPTIONS: '--max-old-space-size=512',
});
after(() => server.end('SIGKILL'));
const send = createClient(server.url);
after(() => {
  send.close();
});

const path = '/router/v1/chat/completions';
const headers = { authorization: `Bearer ${rootKey}` };
const post = (body: Uint8Array) => send({ method: 'POST', path, body, headers });

/** A list of small things, of about so many bytes, in a body. */
function listOf(item: string, bytes: number, user = ''): Buffer {
  const items = Buffer.alloc(bytes, `${item},`).toString('latin1');
  return Buffer.from(
    `{"model":"nobody","user":"${user}","messages":[${items.slice(0, items.lastIndexOf(`${item},`))}${item}]}`,
  );
}

function textOf(letters: string, bytes: number): Buffer {
  const text = Buffer.alloc(bytes - 200, letters)
    .toString('utf8')
    .replaceAll('\ufffd', '');
  return Buffer.from(JSON.stringify({ model: 'nobody', messages: [{ role: 'user', content: text }] }));
}

async function assertServes(): Promise<void> {
  assert.equal((await send({ path: '/healthz' })).status, 200);
}

suite('large bodies, at a heap of 512 MB', () => {
  for (const item of variationsOf(['{"1":1}', '{}', '{"\\n":1}', '[[]]', '1', '"a"'], 3)) {
    test(`60 MB of ${item} are refused by their number and the process serves on`, async () => {
      const received = await post(listOf(item, 60_000_000));
      assert.equal(received.status, 413, received.text);
      assert.match(errorOf(received).message, /more than 262144 values and keys/);
      await assertServes();
    });
  }

  test('many at once are answered or told to come again, and the process serves on', async () => {
    const bodies = [
      textOf('QUJD', 60_000_000),
      // One letter beyond Latin-1 makes the whole text two bytes a letter.
      Buffer.concat([textOf('QUJD', 60_000_000).subarray(0, -4), Buffer.from('😀"}]}')]),
      listOf('{"1":1}', 60_000_000),
    ];
    const sent = Array.from({ length: 9 }, (_, index) => post(bodies[index % 3] ?? Buffer.alloc(0)));
    const settled = await Promise.allSettled(sent);
    const answered = settled.filter(
      (one): one is PromiseFulfilledResult<Received> => one.status === 'fulfilled',
    );
    for (const { value } of answered) {
      assert.ok([400, 413, 503].includes(value.status), `${value.status} ${value.text}`);
      if (value.status === 503) assert.ok(value.headers['retry-after']);
    }
    assert.ok(
      answered.some(({ value }) => value.status === 400),
      'none of them was read',
    );
    await assertServes();
  });

  for (const [what, body] of [
    ['one long text', textOf('QUJD', 30_000_000)],
    ['80,000 small objects beside a long text', listOf('{"1":1}', 640_000, 'QUJD'.repeat(6_000_000))],
  ] as const) {
    test(`/healthz is answered while a body is parsed: ${what}`, async () => {
      const order: string[] = [];
      const [large, health] = [await openSocket(server.url), await openSocket(server.url)];
      const all = { large: readSocket(large, isWhole), health: readSocket(health, isWhole) };
      large.once('data', () => order.push('body'));
      health.once('data', () => order.push('healthz'));
      const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${rootKey}\r\nContent-Length: ${body.length}\r\n\r\n`;
      large.write(head);
      await new Promise<void>((sent) => large.write(body.subarray(0, -1), () => sent()));
      // The last byte and the question leave together, in this order.
      large.write(body.subarray(-1));
      health.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
      await Promise.all([all.large, all.health]);
      assert.deepEqual(order, ['healthz', 'body']);
      for (const socket of [large, health]) socket.destroy();
    });
  }
});

function isWhole(text: string): boolean {
  return /\r\n\r\n\{.*\}$/s.test(text);
}
