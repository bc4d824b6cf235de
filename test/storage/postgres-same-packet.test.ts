import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { defaultPostgresLimits, openPostgres } from '../../src/kernel/store/postgres/open-postgres.ts';

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const authenticated = message('R', Buffer.alloc(4));
const ready = message('Z', Buffer.from('I'));
const ended = message('E', Buffer.from('SFATAL\0C57P01\0Munexpected postmaster exit\0\0'));

test('a session that ends in the packet in which it began fails its caller, and not the process', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    // As a server that is killed does, where its client is slow to read.
    socket.once('data', () => socket.end(Buffer.concat([authenticated, ready, ended])));
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const postgres = await openPostgres(`postgres://nestor@127.0.0.1:${port}/nestor`, defaultPostgresLimits);
  t.after(() => postgres.close());
  await assert.rejects(postgres.query({ text: 'select 1', values: [] }), { code: 'service_unavailable' });
});
