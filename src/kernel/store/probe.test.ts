import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';

import { openDatabase } from './database.ts';
import { createStoreProbe } from './probe.ts';

async function open(context: TestContext) {
  const dataFolder = mkdtempSync(join(tmpdir(), 'nestor-probe-'));
  const database = await openDatabase('sqlite', { dataFolder });
  context.after(async () => {
    await database.close();
    rmSync(dataFolder, { recursive: true });
  });
  const other = new DatabaseSync(join(dataFolder, 'nestor.db'));
  context.after(() => other.close());
  const time = { ms: 0 };
  const clock = { now: () => 1_800_000_000_000 + time.ms, monotonic: () => time.ms };
  return { database, other, clock, time };
}

test('a store that takes no write is down, also when it could be read, and ok again when it takes one', async (context) => {
  const { database, other, clock } = await open(context);
  other.exec('BEGIN IMMEDIATE');
  assert.equal(await createStoreProbe(database, clock, { believedMs: 1_000, timeMaxMs: 50 })(), 'down');
  assert.equal(database.health(), 'ok', 'the thread itself is well');
  other.exec('ROLLBACK');
  assert.equal(await createStoreProbe(database, clock)(), 'ok');
});

test('however many ask, one write a second is made', async (context) => {
  const { database, clock, time } = await open(context);
  const probe = createStoreProbe(database, clock);
  const before = database.stats().commits;
  await Promise.all(Array.from({ length: 500 }, () => probe()));
  time.ms += 999;
  assert.equal(await probe(), 'ok');
  assert.equal(database.stats().commits - before, 1);
  time.ms += 1;
  await Promise.all([probe(), probe()]);
  assert.equal(database.stats().commits - before, 2);
});

test('a store that is closed is down', async (context) => {
  const { database, clock } = await open(context);
  const probe = createStoreProbe(database, clock);
  await database.close();
  assert.equal(await probe(), 'down');
});
