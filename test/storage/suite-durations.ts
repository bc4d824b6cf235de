import assert from 'node:assert/strict';

import type { Database } from '../../src/kernel/store/database.ts';
import { checkUsageDays } from '../../src/features/accounts/store/usage-check.ts';
import { createUsage } from '../../src/features/accounts/store/usage.ts';
import { usageRow } from './suite-metering.ts';

const noon = Date.UTC(2026, 0, 31, 12);
const dayMs = 86_400_000;

/** What a store guarantees about the durations beside its sums. */
export function durationTests(it: (name: string, body: (database: Database) => Promise<void>) => void): void {
  it('how long requests took is told by any group, for whole days, parts of days and days whose rows are gone', async ({
    db,
  }) => {
    const usage = createUsage(db);
    const rows = Array.from({ length: 200 }, (_, n) =>
      usageRow(`r${n}`, {
        model: n % 2 === 0 ? 'quick' : 'slow',
        durationMs: (n % 2 === 0 ? 3 : 3_000) * 1.01 ** (n % 100),
        createdAtMs: noon + (n % 2) * dayMs,
      }),
    );
    // Sent twice, counted once.
    await usage.insertBatch(rows.slice(0, 150));
    await usage.insertBatch(rows);
    const told = async (query: Parameters<typeof usage.totals>[0]) =>
      (await usage.totals({ withDurations: true, ...query })).map(({ model, p50Ms, p95Ms }) => [
        model,
        p50Ms,
        p95Ms,
      ]);
    const byModel = await told({ by: ['model'] });
    const truth = (share: number) => 3 * 1.01 ** (share * 100);
    for (const [at, [model, p50 = null, p95 = null]] of byModel.entries()) {
      assert.equal(model, ['quick', 'slow'][at]);
      const [middle, most] = [truth(0.5) * 1_000 ** at, truth(0.95) * 1_000 ** at];
      // Within a step, which is from 5 to 10 where the truth is 7.7.
      assert.ok(
        typeof p50 === 'number' && p50 > middle / 2 && p50 < middle * 2,
        `${model}: ${p50}, ${middle}`,
      );
      assert.ok(typeof p95 === 'number' && p95 > most / 2 && p95 < most * 2, `${model}: ${p95}, ${most}`);
      assert.ok(p95 > p50);
    }
    const day = { fromMs: noon - 1, toMs: noon + 2 * dayMs };
    assert.deepEqual(await told({ by: ['model'], ...day }), byModel, 'parts of days are read from the rows');
    assert.deepEqual(await checkUsageDays(db), { days: 2, mended: 0 });
    await usage.forget(noon + 1, 1_000);
    assert.deepEqual(await told({ by: ['model'] }), byModel, 'they outlive the rows');
    await db.updateTable('usage_days').set({ took_5: 0, took_10: 0 }).execute();
    await db.updateTable('usage_days').set({ took_5000: 9 }).where('model', '=', 'slow').execute();
    assert.deepEqual((await checkUsageDays(db)).mended, 1, 'the day that has its rows is put right');
    assert.deepEqual((await told({ by: ['model'] }))[1], byModel[1]);
    assert.deepEqual(await told({ by: [], accountId: 'nobody' }), [[undefined, null, null]]);
    assert.ok(!('p50Ms' in ((await usage.totals({ by: [] }))[0] ?? {})));
  });
}
