import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type ClientRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, test, type TestContext } from 'node:test';
import { Fault } from '../faults.ts';
import { scanJson } from '../kit/json-scan.ts';
import { Bodies, type RequestBody } from './bodies.ts';
import { bodyLimits, itemsMax } from './body.ts';

const mebibyte = 1_048_576;
const never = new AbortController().signal;

/** A port that reads bodies for the owner that a request names, and holds them until the test lets go. */
async function serveBodies(t: TestContext, waitMs: number) {
  const bodies = new Bodies({ heapBytes: 512 * mebibyte, waitMs });
  const held = new Map<string, RequestBody>();
  const server = createServer((incoming, response) => {
    const owner = String(incoming.headers['x-owner']);
    const body = bodies.of(incoming, owner, never);
    const answer = async () => {
      try {
        const { value } = await body.json(64 * mebibyte, false);
        held.set(owner, body);
        return `read ${Object.keys(value).join()}`;
      } catch (error) {
        body.release();
        return error instanceof Fault ? error.code : String(error);
      }
    };
    void answer().then((text) => response.end(text));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await bodies.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = (owner: string, headers: Record<string, string>) =>
    request({ port, host: '127.0.0.1', method: 'POST', headers: { 'x-owner': owner, ...headers } });
  return { open, held };
}

async function answerOf(sent: ClientRequest): Promise<string> {
  const [incoming] = (await once(sent, 'response')) as [IncomingMessage];
  return (await incoming.setEncoding('utf8').toArray()).join('');
}

/** Nearly all of it is white space, which is cheap to read. */
function longBody(bytes: number): Buffer {
  const body = Buffer.alloc(bytes, ' ');
  body.write('{"text":"x"');
  body.write('}', bytes - 1);
  return body;
}

suite('bodies of requests', () => {
  test('of any size are read alike, with a length and without one', async (t) => {
    const { open, held } = await serveBodies(t, 60_000);
    for (const bytes of [10, 100_000, 3 * mebibyte]) {
      const body = Buffer.from(JSON.stringify({ text: 'x'.repeat(bytes) }));
      for (const headers of [{ 'content-length': String(body.length) }, { 'transfer-encoding': 'chunked' }]) {
        const sent = open('a', headers);
        const answer = answerOf(sent);
        for (let at = 0; at < body.length; at += 50_000) sent.write(body.subarray(at, at + 50_000));
        sent.end();
        assert.equal(await answer, 'read text');
        held.get('a')?.release();
      }
    }
  });

  test('a large one is refused as a small one is', async (t) => {
    const { open } = await serveBodies(t, 60_000);
    const long = 'x'.repeat(2 * mebibyte);
    const cases = [
      [`{"a":"${long}","a":1}`, 'invalid_value'],
      [`{"a":"${long}","b":${'['.repeat(64)}${']'.repeat(64)}}`, 'invalid_value'],
      [`{"a":"${long}",}`, 'invalid_json'],
      [`["${long}"]`, 'invalid_body'],
      [`{"a":[${'{},'.repeat(itemsMax)}{}]}`, 'body_too_large'],
    ] as const;
    for (const [body, code] of cases) {
      const sent = open('a', { 'content-length': String(body.length) });
      const answer = answerOf(sent);
      sent.end(body);
      assert.equal(await answer, code);
    }
  });

  test('wait for room while others hold it, unread, and are told to come again', async (t) => {
    const { open, held } = await serveBodies(t, 200);
    const large = longBody(40 * mebibyte);
    const sentFirst = open('a', { 'content-length': String(large.length) });
    const first = answerOf(sentFirst);
    sentFirst.end(large);
    assert.equal(await first, 'read text');
    const sentSecond = open('b', { 'content-length': String(large.length), expect: '100-continue' });
    assert.equal(await answerOf(sentSecond), 'service_unavailable');
    sentSecond.destroy();
    held.get('a')?.release();
    const sentThird = open('b', { 'content-length': String(large.length) });
    const third = answerOf(sentThird);
    sentThird.end(large);
    assert.equal(await third, 'read text');
  });

  test('one account leaves room for another', async (t) => {
    const { open } = await serveBodies(t, 200);
    const body = longBody(20 * mebibyte);
    const post = (owner: string) => {
      const sent = open(owner, { 'content-length': String(body.length) });
      const answer = answerOf(sent);
      sent.end(body);
      return answer;
    };
    assert.equal(await post('a'), 'read text');
    assert.equal(await post('a'), 'read text');
    assert.equal(await post('a'), 'service_unavailable');
    assert.equal(await post('b'), 'read text');
  });

  test('the largest that the interface allows are far from the bound on values and keys', () => {
    const options = Object.fromEntries(
      Array.from({ length: 255 }, (_, index) => [`option ${index}`, { note: 'x' }]),
    );
    const questions = Array.from({ length: 128 }, (_, index) => [
      `question ${index}`,
      { type: 'choice', instructions: 'x', criteria: options },
    ]);
    const decision = { model: 'm', state: ['x'], questions: Object.fromEntries(questions) };
    const embedding = {
      model: 'm',
      input: Array.from({ length: 512 }, () => Array.from({ length: 32 }, () => 'x')),
    };
    for (const body of [decision, embedding]) {
      const { items } = scanJson(Buffer.from(JSON.stringify(body)), bodyLimits);
      assert.ok(items * 1.9 < itemsMax, String(items));
    }
  });
});
