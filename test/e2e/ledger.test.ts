import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/storage/database.ts';
import { createUsage } from '../../src/storage/usage.ts';
import { startServer } from '../support/server.ts';

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
  let rows = await usage.page({});
  for (let tries = 0; rows.length < 5 && tries < 50; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    rows = await usage.page({});
  }
  assert.deepEqual(rows.map(({ id }) => id).toSorted(), ids.toSorted());
  for (const row of rows) {
    assert.equal(row.model, 'svc-decider-v1-27b', 'the canonical name, whatever was sent');
    assert.equal(row.accountId, 'default');
    assert.equal(row.outputTokens, 2);
    assert.equal(row.costUsd, (row.inputTokens * 0.04) / 1e6);
    assert.equal(row.status, 200);
    assert.equal(JSON.stringify(row).includes(server.key), false);
  }
});
