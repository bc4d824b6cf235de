import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { openJournal } from './journal.ts';
import type { UsageRow } from '../storage/usage.ts';
import { openMeter } from './meter.ts';

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'nestor-meter-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const row = (id: string): UsageRow => ({
  id,
  accountId: 'acme',
  keyId: 'k',
  operation: 'createDecision',
  model: 'svc-decider-v1-27b',
  inputTokens: 10,
  outputTokens: 1,
  otherUnits: null,
  costUsd: 4e-7,
  costParts: { input: 4e-7 },
  requestId: id,
  status: 200,
  durationMs: 1.5,
  createdAtMs: 1,
});

/** A store that keeps each id once and can be told to fail. */
function createStore() {
  const rows = new Map<string, number>();
  const store = {
    rows,
    down: false,
    keep: async (batch: readonly UsageRow[]) => {
      if (store.down) throw new Error('down');
      for (const { id } of batch) rows.set(id, (rows.get(id) ?? 0) + 1);
    },
  };
  return store;
}

const quiet = () => {};

suite('the meter', () => {
  test('hands rows on in order and leaves nothing behind', async (t) => {
    const folder = temporaryFolder(t);
    const store = createStore();
    const meter = openMeter({
      journal: openJournal(folder, process.pid),
      keep: store.keep,
      onError: quiet,
    });
    for (let i = 0; i < 1_234; i++) meter.add(row(`r${i}`));
    await meter.flush();
    assert.deepEqual(
      [...store.rows.keys()],
      Array.from({ length: 1_234 }, (_, i) => `r${i}`),
    );
    meter.add(row('last'));
    await meter.close();
    assert.equal(store.rows.size, 1_235);
    assert.deepEqual(readdirSync(folder), []);
  });

  test('waits out a store that is down, loses nothing and keeps memory flat', async (t) => {
    const folder = temporaryFolder(t);
    const store = createStore();
    const errors: unknown[] = [];
    const meter = openMeter({
      journal: openJournal(folder, process.pid),
      keep: store.keep,
      flushEveryMs: 5,
      onError: (error) => errors.push(error),
    });
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
    assert.equal(meter.lost(), 0);
  });

  test('a journal that is full takes no more, counts what it refuses, and recovers', async (t) => {
    const folder = temporaryFolder(t);
    const store = createStore();
    const meter = openMeter({
      journal: openJournal(folder, process.pid),
      keep: store.keep,
      bytesMax: 2_000,
      onError: quiet,
    });
    store.down = true;
    for (let i = 0; i < 100; i++) meter.add(row(`r${i}`));
    assert.ok(meter.lost() > 0 && meter.lost() < 100);
    store.down = false;
    await meter.flush();
    const lost = meter.lost();
    meter.add(row('after'));
    await meter.close();
    assert.equal(meter.lost(), lost);
    assert.equal(store.rows.size, 100 - lost + 1);
  });

  test('a half-written last line is not a row, and rows of a dead process are adopted once', async (t) => {
    const folder = temporaryFolder(t);
    const dead = join(folder, '999999999-x');
    mkdirSync(dead);
    writeFileSync(join(dead, '000000000.jsonl'), `${JSON.stringify(row('whole'))}\n{"id":"ha`);
    const store = createStore();
    const meter = openMeter({
      journal: openJournal(folder, process.pid),
      keep: store.keep,
      onError: quiet,
    });
    await meter.flush();
    await meter.close();
    assert.deepEqual([...store.rows], [['whole', 1]]);
  });
});

test('a process that is killed has lost no row that it reported', async (t) => {
  const folder = temporaryFolder(t);
  const store = createStore();
  for (let round = 0; round < 10; round++) {
    const child = fork(new URL('./journal.fixture.ts', import.meta.url), [folder, String(round)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const reported: string[] = [];
    child.on('message', (id) => reported.push(id as string));
    await once(child, 'message');
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 30));
    child.kill('SIGKILL');
    await once(child, 'exit');
    const meter = openMeter({
      journal: openJournal(folder, process.pid),
      keep: store.keep,
      onError: quiet,
    });
    await meter.flush();
    await meter.close();
    for (const id of reported) assert.equal(store.rows.get(id), 1, id);
  }
});
