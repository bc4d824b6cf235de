import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { sendJson } from './reply.ts';

test('a long JSON reply is written in pieces, each in a turn of its own, and arrives as it was', async (t) => {
  const body = { text: `${'x'.repeat(1_048_566)}${'\u{1F600}\u662f'.repeat(2_000_000)}` };
  const turns: number[] = [];
  const server = createServer((_request, response) => {
    let turn = 0;
    const count = () => {
      turn++;
      if (!response.writableEnded) setImmediate(count);
    };
    count();
    const write = response.write.bind(response) as (text: string) => boolean;
    response.write = ((text: string) => {
      turns.push(turn);
      return write(text);
    }) as typeof response.write;
    void sendJson(response, { status: 200, headers: {}, body }, { 'x-made': '1' });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  assert.equal(response.headers.get('x-made'), '1');
  const text = await response.text();
  assert.equal(Number(response.headers.get('content-length')), Buffer.byteLength(text));
  assert.ok(text === JSON.stringify(body));
  assert.equal(turns.length, 7);
  assert.equal(new Set(turns).size, 7, 'no two pieces in one turn');
});
