import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../../kernel/store/database.ts';
import { createUsage } from '../store/usage.ts';
import { row } from './ledger.fixture.ts';
import { openRetention } from './retention.ts';

const dayMs = 86_400_000;
const noon = Date.UTC(2026, 5, 15, 12);

test('rows that are older than they are kept go, by whole days and in bounded steps, and sums stay', async (t) => {
  const database = await openDatabase('sqlite::memory:', { dataFolder: '/nowhere' });
  t.after(() => database.close());
  const usage = createUsage(database.db);
  const rows = Array.from({ length: 3_000 }, (_, n) =>
    row(`r${n}`, { createdAtMs: noon - Math.floor(n / 300) * dayMs }),
  );
  await usage.insertBatch(rows);
  const steps: number[] = [];
  const retention = openRetention({
    usage: {
      async forget(beforeMs, rowsMax) {
        const removed = await usage.forget(beforeMs, rowsMax);
        steps.push(removed);
        return removed;
      },
    },
    clock: { now: () => noon, monotonic: () => 0 },
    keepMs: 4 * dayMs,
    onError: (error) => assert.fail(String(error)),
  });
  t.after(() => retention.close());
  assert.equal(await retention.run(), 1_500);
  assert.deepEqual(steps, [1_000, 500]);
  assert.equal((await usage.page({ limit: 5_000 })).length, 1_500);
  assert.equal((await usage.totals({ by: [] }))[0]?.requests, 3_000);
  assert.equal(await retention.run(), 0);
});
