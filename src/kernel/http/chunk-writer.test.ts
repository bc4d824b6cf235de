import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { suite, test, type TestContext } from 'node:test';
import { ChunkWriter } from './chunk-writer.ts';

const texts = ['data: 1\n\n', '', 'data: \u00e9\u{1F600}\n\n', `data: ${'x'.repeat(70_000)}\n\n`];

function writeAll(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const body = new ChunkWriter(response);
  for (const text of texts) body.write(text);
  body.close();
  response.end();
}

/** What a client that sends these lines reads. */
async function ask(t: TestContext, ...lines: readonly string[]): Promise<string> {
  const server = createServer((_request, response) => writeAll(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let raw = '';
  socket.setEncoding('utf8').on('data', (text: string) => (raw += text));
  await once(socket, 'connect');
  socket.write(lines.map((line) => `${line}\r\n`).join(''));
  await once(socket, 'close');
  return raw;
}

const bodyOf = (raw: string) => raw.slice(raw.indexOf('\r\n\r\n') + 4);
const plain = texts.join('');

suite('the writer of chunks', () => {
  test('writes chunks as Node does, its length in bytes, and no empty one before the end', async (t) => {
    const raw = await ask(t, 'GET / HTTP/1.1', 'Host: a', 'Connection: close', '');
    assert.match(raw, /transfer-encoding: chunked/i);
    const framed = texts
      .filter((text) => text !== '')
      .map((text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
    assert.equal(bodyOf(raw), `${framed.join('')}0\r\n\r\n`);
  });

  test('serves the next request on the same connection', async (t) => {
    const first = ['GET / HTTP/1.1', 'Host: a', ''];
    const raw = await ask(t, ...first, 'GET / HTTP/1.1', 'Host: a', 'Connection: close', '');
    assert.equal(raw.split('HTTP/1.1 200').length, 3);
    assert.equal(raw.split('\r\n0\r\n\r\n').length, 3);
  });

  test('writes the text alone for HTTP/1.0, and none for HEAD', async (t) => {
    assert.equal(bodyOf(await ask(t, 'GET / HTTP/1.0', '')), plain);
    assert.equal(bodyOf(await ask(t, 'HEAD / HTTP/1.1', 'Host: a', 'Connection: close', '')), '');
  });
});
