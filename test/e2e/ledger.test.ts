import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Bodies } from '../../src/kernel/http/bodies.ts';
import { ok, stream, type Operation } from '../../src/kernel/http/operation.ts';
import { createRunner } from '../../src/kernel/http/pipeline.ts';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import { randomIds } from '../../src/kernel/kit/ids.ts';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { createUsage } from '../../src/features/accounts/store/usage.ts';
import { startServer } from '../support/server.ts';
import { poll } from '../support/until.ts';

const model = 'pplx-decider-v1-27b';
const questions = {
  a: { type: 'noul', instructions: 'Is it raining?' },
  b: { type: 'noul', instructions: 'Is it late?' },
};

test('every answered decision is one row of the ledger, refused ones are none', async (t) => {
  const closers: (() => Promise<void>)[] = [];
  const server = await startServer({ after: (close) => closers.push(close) });
  t.after(async () => {
    for (const close of closers) await close();
  });
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    const response = await server.post('/v1/decisions', { model, state: 'It pours.', questions });
    ids.push(response.headers.get('x-request-id') ?? '');
  }
  await server.post('/v1/decisions', { model, state: null, questions });
  await server.post(
    '/v1/decisions',
    { model, state: '', questions },
    { authorization: 'Bearer nobody-knows-me' },
  );

  const database = await openDatabase('sqlite', { dataFolder: server.data });
  t.after(() => database.close());
  const usage = createUsage(database.db);
  const rows = await poll(
    () => usage.page({}),
    ({ length }) => length >= 5,
  );
  assert.deepEqual(rows.map(({ requestId }) => requestId).toSorted(), ids.toSorted());
  for (const row of rows) {
    assert.equal(row.model, 'svc-decider-v1-27b', 'the canonical name, whatever was sent');
    assert.equal(row.accountId, 'default');
    assert.equal(row.outputTokens, 2);
    assert.equal(row.costUsd, (row.inputTokens * 0.04) / 1e6);
    assert.equal(row.status, 200);
    assert.equal(JSON.stringify(row).includes(server.key), false);
  }
});

const billing = { model: 'm', inputTokens: 1, outputTokens: 1, costParts: {} };
const replies = {
  'an answer': () => ok({}, {}, billing),
  'a stream': () =>
    stream(
      (async function* () {
        yield [{ data: 'one' }];
      })(),
      () => [],
      { billing: () => billing },
    ),
};

for (const [kind, handle] of Object.entries(replies)) {
  test(`${kind} ends only after its row was recorded, so that a kill between the two loses nothing`, async (t) => {
    const order: string[] = [];
    const operation: Operation<null> = {
      id: 'made',
      summary: '',
      group: 'made',
      method: 'GET',
      paths: ['/'],
      surface: 'plain',
      credentials: 'none',
      buckets: [],
      isBilled: true,
      responses: {},
      handle,
    };
    const run = createRunner(operation, {
      services: null,
      authenticate: () => null,
      admit: () => assert.fail('no bucket'),
      bodies: new Bodies({ heapBytes: 512 * 1_048_576 }),
      reserveBilling: () => ({
        async keep({ billing: kept }) {
          await setImmediate();
          order.push(kept === null ? 'nothing' : 'row');
        },
        release: () => {},
      }),
      record: () => {},
      clock: systemClock,
      ids: randomIds,
      stopping: new AbortController().signal,
    });
    const server = createServer((request, response) => {
      const end = response.end.bind(response);
      response.end = (...rest: unknown[]) => {
        order.push('end');
        return Reflect.apply(end, response, rest) as typeof response;
      };
      run(request, response, { path: '/', params: {}, query: '' });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await response.text();
    assert.deepEqual(order, ['row', 'end']);
  });
}
