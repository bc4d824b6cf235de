import type { AddressInfo, Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { Type } from 'typebox';
import { createLimiter } from '../../features/accounts/limiter.ts';
import { createMemoryBuckets } from '../../features/accounts/memory-buckets.ts';
import { Fault } from '../faults.ts';
import { systemClock } from '../kit/clock.ts';
import { randomIds } from '../kit/ids.ts';
import { Bodies } from './bodies.ts';
import { defineOperation, type Call, type Operation, type Reply } from './operation.ts';
import type { RequestRecord } from './request-record.ts';
import { createTransport } from './transport.ts';

// Made-up operations on a port, for the tests of this folder; nothing else imports it.

type Handle = (call: Call) => Reply | Promise<Reply>;

export function operationOf(handle: Handle, more: Partial<Operation<object>> = {}): Operation<object> {
  return defineOperation({
    id: 'made',
    summary: 'Made up',
    group: 'made',
    method: 'GET',
    paths: ['/made'],
    surface: 'chat',
    credentials: 'none',
    buckets: [],
    isBilled: true,
    responses: { 200: Type.Object({}) },
    handle,
    ...more,
  });
}

export async function serve(t: TestContext, ...operations: Operation<object>[]) {
  const records: RequestRecord[] = [];
  const stopping = new AbortController();
  let now = 1_000_000;
  const limiter = createLimiter({
    store: createMemoryBuckets({ now: () => now, monotonic: () => now }),
    enabled: true,
    tables: {},
  });
  const app = createTransport(
    operations,
    {
      services: {},
      authenticate: (key) =>
        key.startsWith('key-')
          ? { accountId: key, keyId: key, tier: 0, denied: key === 'key-denied' ? ['made'] : [] }
          : null,
      admit: (buckets, { principal, address }, cost) =>
        limiter.take(buckets, principal?.accountId ?? address, principal?.tier ?? 0, cost),
      bodies: new Bodies({ heapBytes: 512 * 1_048_576 }),
      reserveBilling: () => ({ keep: () => undefined, release: () => {} }),
      record: (record) => void records.push(record),
      clock: systemClock,
      ids: randomIds,
      stopping: stopping.signal,
    },
    { corsOrigins: ['https://app.example'] },
  );
  const sockets: Socket[] = [];
  app.server.on('connection', (socket) => void sockets.push(socket));
  await app.listen({ port: 0, host: '127.0.0.1' });
  t.after(async () => {
    stopping.abort(new Fault('service_unavailable'));
    app.server.closeAllConnections();
    await app.close();
  });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return { url, port, records, sockets, stopping, advance: (ms: number) => void (now += ms) };
}
