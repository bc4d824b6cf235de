import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import {
  createStore,
  openTestMeter,
  row,
  temporaryFolder,
} from '../../src/features/accounts/ledger/ledger.fixture.ts';
import { roundsOf } from '../support/rounds.ts';

/** Moments at which a process is killed. */
const rounds = roundsOf(4, 10);

test('the meter waits out a store that is down, loses nothing and keeps memory flat', async (t) => {
  const folder = temporaryFolder(t);
  const store = createStore();
  const errors: unknown[] = [];
  const meter = openTestMeter(folder, store, { onError: (error) => errors.push(error) });
  store.down = true;
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 50_000; i++) meter.add(row(`r${i}`));
  await meter.flush();
  assert.ok(errors.length > 0);
  assert.ok(process.memoryUsage().heapUsed - before < 50e6);
  store.down = false;
  await meter.flush();
  assert.equal(store.rows.size, 50_000);
  assert.ok([...store.rows.values()].every((times) => times === 1));
  await meter.close();
  assert.equal(meter.state().lost, 0);
  assert.deepEqual(readdirSync(folder), []);
});

test('a process that is killed has lost no row that it reported', async (t) => {
  const folder = temporaryFolder(t);
  const store = createStore();
  for (let round = 0; round < rounds; round++) {
    const child = fork(
      new URL('../../src/features/accounts/ledger/journal.fixture.ts', import.meta.url),
      [folder, String(round)],
      {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      },
    );
    const reported: string[] = [];
    child.on('message', (id) => reported.push(id as string));
    await once(child, 'message');
    const target = Math.ceil(Math.random() * 400);
    while (reported.length < target) await once(child, 'message');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const meter = openTestMeter(folder, store);
    await meter.flush();
    await meter.close();
    for (const id of reported) assert.equal(store.rows.get(id), 1, id);
  }
});
