import assert from 'node:assert/strict';

import { hashSecret } from '../../src/kernel/kit/ids.ts';
import { createAccounts } from '../../src/features/accounts/store/accounts.ts';
import type { Database } from '../../src/kernel/store/database.ts';
import { isRefusal } from '../../src/kernel/store/errors.ts';
import { createKeys } from '../../src/features/accounts/store/keys.ts';
import { createProcesses } from '../../src/kernel/store/processes.ts';
import { createPurchases, type Purchase } from '../../src/features/accounts/store/purchases.ts';
import { checkUsageDays } from '../../src/features/accounts/store/usage-check.ts';
import { createUsage } from '../../src/features/accounts/store/usage.ts';
import type { UsageRow } from '../../src/features/accounts/store/usage-row.ts';

type It = (name: string, body: (database: Database) => Promise<void>) => void;

const acme = { id: 'acme', name: 'Acme', createdAtMs: 1, creditsPurchasedUsd: 50 };
const noon = Date.UTC(2026, 0, 31, 12);
const dayMs = 86_400_000;

export function usageRow(id: string, over: Partial<UsageRow> = {}): UsageRow {
  return {
    id,
    accountId: 'acme',
    keyId: 'k1',
    operation: 'decisions',
    model: 'svc/one',
    inputTokens: 100,
    outputTokens: 3,
    otherUnits: null,
    costUsd: 0.1 + 0.2,
    costParts: { input: 0.1, output: 0.2 },
    requestId: `req-${id}`,
    status: 200,
    durationMs: 12.125,
    createdAtMs: noon,
    ...over,
  };
}

function purchase(id: string, over: Partial<Purchase> = {}): Purchase {
  return { id, accountId: 'acme', amountUsd: 10, note: 'invoice 1', createdAtMs: 5, ...over };
}

/** What a store guarantees about credits, the ledger and what is kept of keys and processes. */
export function meteringTests(it: It): void {
  accountTests(it);
  purchaseTests(it);
  usageTests(it);
  keyTests(it);
}

function accountTests(it: It): void {
  it('accounts are created once, renamed and listed by id in pages', async ({ db }) => {
    const accounts = createAccounts(db);
    for (const id of ['b', 'a', 'c'])
      assert.equal(await accounts.create({ id, name: id, createdAtMs: 1 }), true);
    assert.equal(await accounts.create({ id: 'a', name: 'again', createdAtMs: 2 }), false);
    const renamed = { id: 'a', name: 'Älter & Co', createdAtMs: 1, creditsPurchasedUsd: 0 };
    assert.deepEqual(await accounts.rename('a', 'Älter & Co'), renamed);
    assert.deepEqual(await accounts.get('a'), renamed);
    assert.equal(await accounts.rename('nobody', 'x'), undefined);
    const first = await accounts.list({ limit: 2 });
    assert.deepEqual(
      first.map(({ id }) => id),
      ['a', 'b'],
    );
    const rest = await accounts.list({ afterId: 'b' });
    assert.deepEqual(
      rest.map(({ id }) => id),
      ['c'],
    );
  });

  it('text that one of the stores cannot hold comes back the same from both', async ({ db }) => {
    const accounts = createAccounts(db);
    await accounts.create({ id: 'a', name: 'nul \0 \u{1F600} \'"\\ ;--', createdAtMs: 1 });
    assert.equal((await accounts.get('a'))?.name, 'nul \u{FFFD} \u{1F600} \'"\\ ;--');
    await assert.rejects(accounts.create({ id: 'b', name: 'x', createdAtMs: 2 ** 60 }), /2\^53/);
    await assert.rejects(accounts.create({ id: 'b', name: 'x', createdAtMs: Number.NaN }), /not finite/);
    await accounts.create({ id: 'b', name: 'x', createdAtMs: Number.MAX_SAFE_INTEGER });
    assert.equal((await accounts.get('b'))?.createdAtMs, Number.MAX_SAFE_INTEGER);
  });

  it('processes are listed while they are heard of', async ({ db }) => {
    const processes = createProcesses(db);
    await processes.beat({ id: 'p1', startedAtMs: 1, seenAtMs: 10 });
    await processes.beat({ id: 'p2', startedAtMs: 2, seenAtMs: 10 });
    await processes.beat({ id: 'p1', startedAtMs: 1, seenAtMs: 20 });
    assert.deepEqual(await processes.list(15), [{ id: 'p1', startedAtMs: 1, seenAtMs: 20 }]);
    assert.equal(await processes.forget(15), 1);
    assert.equal((await processes.list(0)).length, 1);
  });
}

function purchaseTests(it: It): void {
  it('a purchase raises the credits with it, once per id', async ({ db }) => {
    const purchases = createPurchases(db);
    await createAccounts(db).ensure(acme);
    assert.deepEqual(await purchases.add(purchase('p1')), { isNew: true, creditsPurchasedUsd: 60 });
    const again = await purchases.add(purchase('p1', { amountUsd: 500 }));
    assert.deepEqual(again, { isNew: false, creditsPurchasedUsd: 60 });
    assert.deepEqual(await purchases.list('acme'), [purchase('p1')]);
    assert.equal((await createAccounts(db).get('acme'))?.creditsPurchasedUsd, 60);
  });

  it('credits are what was granted plus what was purchased', async ({ db }) => {
    const accounts = createAccounts(db);
    const purchases = createPurchases(db);
    await accounts.ensure(acme);
    await purchases.add(purchase('p1', { amountUsd: 200 }));
    // A restart with the same configuration, one with less, one with more.
    assert.equal((await accounts.ensure(acme)).creditsPurchasedUsd, 250);
    assert.equal((await accounts.ensure({ ...acme, creditsPurchasedUsd: 10 })).creditsPurchasedUsd, 250);
    assert.equal((await accounts.ensure({ ...acme, creditsPurchasedUsd: 100 })).creditsPurchasedUsd, 300);
  });

  it('50 purchases of ten cents at once are exactly five dollars', async ({ db }) => {
    await createAccounts(db).ensure({ ...acme, creditsPurchasedUsd: 0 });
    const add = (id: number): Promise<unknown> =>
      createPurchases(db).add(purchase(`p${id % 50}`, { amountUsd: 0.1 }));
    await Promise.all(Array.from({ length: 100 }, (_, id) => add(id)));
    assert.equal((await createAccounts(db).get('acme'))?.creditsPurchasedUsd, 5);
    assert.equal((await createPurchases(db).list('acme')).length, 50);
  });

  it('an amount that is none and an unknown account are refused, and nothing is kept', async ({ db }) => {
    const purchases = createPurchases(db);
    await createAccounts(db).ensure(acme);
    for (const amountUsd of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e-9, 1e12]) {
      await assert.rejects(purchases.add(purchase('p', { amountUsd })), RangeError);
    }
    await assert.rejects(purchases.add(purchase('p', { accountId: 'nobody' })), (error) =>
      isRefusal(error, 'foreign_key'),
    );
    const row = { id: 'p', account_id: 'acme', amount_usd: -1, note: '', created_at_ms: 1 };
    await assert.rejects(db.insertInto('credit_purchases').values(row).execute(), (error) =>
      isRefusal(error, 'check'),
    );
    assert.deepEqual(await purchases.list('acme'), []);
    assert.equal((await createAccounts(db).get('acme'))?.creditsPurchasedUsd, 50);
  });

  it('purchases are listed in pages, also those of one instant', async ({ db }) => {
    const purchases = createPurchases(db);
    await createAccounts(db).ensure(acme);
    for (const id of ['c', 'a', 'b']) await purchases.add(purchase(id));
    const first = await purchases.list('acme', { limit: 2 });
    const rest = await purchases.list('acme', { after: first.at(-1) });
    assert.deepEqual(
      [...first, ...rest].map(({ id }) => id),
      ['a', 'b', 'c'],
    );
  });
}

function usageTests(it: It): void {
  it('rows come back as they were, and a row sent twice is kept once', async ({ db }) => {
    const usage = createUsage(db);
    const rows = [
      usageRow('a'),
      usageRow('b', { model: null, otherUnits: { searches: 2 }, costUsd: 5e-324, createdAtMs: noon + 1 }),
      usageRow('c', { inputTokens: Number.MAX_SAFE_INTEGER, createdAtMs: noon + 2 }),
    ];
    assert.equal(await usage.insertBatch(rows.slice(0, 2)), 2);
    assert.equal(await usage.insertBatch(rows), 1);
    assert.equal(await usage.insertBatch([...rows, usageRow('a', { costUsd: 9 })]), 0);
    assert.equal(await usage.insertBatch([]), 0);
    assert.deepEqual(await usage.page({}), rows);
  });

  it('a batch of any size is written whole, a repeated id within it once', async ({ db }) => {
    const usage = createUsage(db);
    const rows = Array.from({ length: 1_003 }, (_, id) => usageRow(`r${id}`));
    const inserted = await Promise.all([usage.insertBatch(rows), usage.insertBatch(rows)]);
    assert.equal(inserted[0] + inserted[1], 1_003);
    assert.equal(await usage.insertBatch([usageRow('x'), usageRow('x')]), 1);
    assert.equal((await usage.totals({ by: [] }))[0]?.requests, 1_004);
  });

  it('totals by account, key, model, operation and day in UTC, with filters', async ({ db }) => {
    const usage = createUsage(db);
    await usage.insertBatch([
      usageRow('1', { createdAtMs: Date.UTC(2026, 0, 31, 23, 59, 59, 999), costUsd: 1 }),
      usageRow('2', { createdAtMs: Date.UTC(2026, 1, 1), costUsd: 2 }),
      usageRow('3', { createdAtMs: Date.UTC(2026, 1, 1), costUsd: 4, keyId: 'k2', model: null }),
      usageRow('4', { createdAtMs: Date.UTC(2026, 1, 1), costUsd: 8, accountId: 'rival' }),
    ]);
    const sums = { requests: 1, inputTokens: 100, outputTokens: 3 };
    assert.deepEqual(await usage.totals({ by: ['day', 'key'], accountId: 'acme' }), [
      { day: '2026-01-31', key: 'k1', ...sums, costUsd: 1 },
      { day: '2026-02-01', key: 'k1', ...sums, costUsd: 2 },
      { day: '2026-02-01', key: 'k2', ...sums, costUsd: 4 },
    ]);
    assert.deepEqual(await usage.totals({ by: ['account'], fromMs: Date.UTC(2026, 1, 1) }), [
      { account: 'acme', requests: 2, inputTokens: 200, outputTokens: 6, costUsd: 6 },
      { account: 'rival', ...sums, costUsd: 8 },
    ]);
    const models = await usage.totals({ by: ['model'], keyId: 'k2' });
    assert.deepEqual(models, [{ model: null, ...sums, costUsd: 4 }]);
    const before = await usage.totals({ by: ['operation'], toMs: Date.UTC(2026, 1, 1), model: 'svc/one' });
    assert.deepEqual(before, [{ operation: 'decisions', ...sums, costUsd: 1 }]);
    assert.equal((await usage.totals({ by: ['day', 'key', 'account'], limit: 2 })).length, 2);
    const none = await usage.totals({ by: [], accountId: 'nobody' });
    assert.deepEqual(none, [{ requests: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 }]);
    assert.deepEqual(await usage.totals({ by: ['day'], accountId: 'nobody' }), []);
  });

  it('sums are those of the rows, wherever a range begins and ends, and however often a row is sent', async ({
    db,
  }) => {
    const usage = createUsage(db);
    const rows = Array.from({ length: 400 }, (_, n) =>
      usageRow(`r${n}`, {
        accountId: `a${n % 3}`,
        keyId: `k${n % 5}`,
        model: n % 4 === 0 ? null : `m${n % 4}`,
        costUsd: n / 8,
        inputTokens: n,
        createdAtMs: noon + Math.floor((n * dayMs) / 40),
      }),
    );
    await Promise.all([
      usage.insertBatch(rows.slice(0, 250)),
      usage.insertBatch(rows.slice(150)),
      usage.insertBatch([...rows.slice(100, 200), ...rows.slice(100, 200)]),
    ]);
    const hours = [0, 1, 11.5, 12, 13, 24, 36, 37, 60, 61.25, 300];
    for (const from of hours) {
      for (const to of hours) {
        const [fromMs, toMs] = [noon + from * 3_600_000, noon + to * 3_600_000];
        const inRange = rows.filter(({ createdAtMs: at }) => at >= fromMs && at < toMs);
        const [total] = await usage.totals({ by: [], fromMs, toMs });
        assert.deepEqual(
          [total?.requests, total?.inputTokens, total?.costUsd],
          [
            inRange.length,
            inRange.reduce((sum, row) => sum + row.inputTokens, 0),
            inRange.reduce((sum, row) => sum + row.costUsd, 0),
          ],
          `${from} to ${to}`,
        );
      }
    }
    const one = { accountId: 'a1', keyId: 'k2', model: 'm3', fromMs: noon + 3_600_000 };
    const same = rows.filter(
      (row) =>
        row.accountId === 'a1' && row.keyId === 'k2' && row.model === 'm3' && row.createdAtMs >= one.fromMs,
    );
    assert.ok(same.length > 3);
    assert.equal((await usage.totals({ by: [], ...one }))[0]?.requests, same.length);
  });

  it('rows are removed oldest first, a bounded number at a time, and their sums stay', async ({ db }) => {
    const usage = createUsage(db);
    const rows = Array.from({ length: 30 }, (_, n) => usageRow(`r${n}`, { createdAtMs: noon + n * dayMs }));
    await usage.insertBatch(rows);
    const before = await usage.totals({ by: ['day'] });
    const beforeMs = noon - (noon % dayMs) + 20 * dayMs;
    assert.deepEqual(
      [await usage.forget(beforeMs, 15), await usage.forget(beforeMs, 15), await usage.forget(beforeMs, 15)],
      [15, 5, 0],
    );
    assert.deepEqual(
      (await usage.page({})).map(({ id }) => id),
      rows.slice(20).map(({ id }) => id),
    );
    assert.deepEqual(await usage.totals({ by: ['day'] }), before);
    const [all] = await usage.totals({ by: [] });
    assert.equal(all?.requests, 30);
  });

  it('sums are compared with their rows and put right', async ({ db }) => {
    const usage = createUsage(db);
    for (let day = 0; day < 3; day++)
      await usage.insertBatch([
        usageRow(`a${day}`, { createdAtMs: noon + day * dayMs, model: null }),
        usageRow(`b${day}`, { createdAtMs: noon + day * dayMs }),
      ]);
    assert.deepEqual(await checkUsageDays(db), { days: 3, mended: 0 });
    const right = await usage.totals({ by: ['day', 'model'] });
    await db.updateTable('usage_days').set({ requests: 0 }).where('model', '=', '').execute();
    assert.deepEqual(await checkUsageDays(db), { days: 3, mended: 3 });
    assert.deepEqual(await usage.totals({ by: ['day', 'model'] }), right);
  });

  it('a sum beyond 2^53 is told as 2^53-1 and stops nothing', async ({ db }) => {
    const usage = createUsage(db);
    const most = Number.MAX_SAFE_INTEGER;
    for (let n = 0; n < 3; n++)
      await usage.insertBatch([usageRow(`r${n}`, { inputTokens: most, createdAtMs: noon + n * dayMs })]);
    await usage.insertBatch([usageRow('x', { inputTokens: most }), usageRow('y', { inputTokens: most })]);
    assert.equal((await usage.totals({ by: [] }))[0]?.inputTokens, most);
    assert.equal((await usage.totals({ by: ['day'] }))[0]?.inputTokens, most);
    assert.equal((await usage.totals({ by: [], fromMs: noon - 1 }))[0]?.inputTokens, most);
  });

  it('pages of rows neither repeat nor lose one, also of one instant', async ({ db }) => {
    const usage = createUsage(db);
    const rows = Array.from({ length: 25 }, (_, id) =>
      usageRow(`r${id}`, { createdAtMs: noon + (id % 3) * dayMs }),
    );
    await usage.insertBatch(rows);
    const seen: string[] = [];
    for (let after: UsageRow | undefined; ;) {
      const page = await usage.page({
        after,
        limit: 4,
        accountId: 'acme',
        fromMs: noon,
        toMs: noon + 2 * dayMs,
      });
      seen.push(...page.map(({ id }) => id));
      after = page.at(-1);
      if (page.length < 4) break;
    }
    assert.equal(new Set(seen).size, seen.length);
    assert.equal(seen.length, rows.filter(({ createdAtMs }) => createdAtMs < noon + 2 * dayMs).length);
  });
}

function keyTests(it: It): void {
  it('the last use of keys is noted in batches and never goes back', async ({ db }) => {
    const keys = createKeys(db);
    await createAccounts(db).ensure(acme);
    const hashes = Array.from({ length: 620 }, (_, n) => hashSecret(`s${n}`));
    await db.transaction().execute(async (transaction) => {
      for (const hash of hashes) {
        const key = {
          hash,
          accountId: 'acme',
          kind: 'token',
          name: null,
          last4: 'abcd',
          createdAtMs: 1,
        } as const;
        await createKeys(transaction).insertIfAbsent(key);
      }
    });
    const [first = ''] = hashes;
    assert.equal((await keys.find(first))?.lastUsedAtMs, null);
    assert.equal(await keys.touch(hashes, 1_000), 620);
    assert.equal(await keys.touch([first, hashSecret('unknown')], 900), 0);
    assert.equal((await keys.find(first))?.lastUsedAtMs, 1_000);
    assert.equal(await keys.touch([], 2_000), 0);
    await Promise.all([keys.touch(hashes, 2_000), keys.touch(hashes.toReversed(), 2_000)]);
    assert.ok((await keys.list('acme')).every((key) => key.lastUsedAtMs === 2_000));
  });

  it('a key is matched by the beginning of its hash or its last characters, in its account only', async ({
    db,
  }) => {
    const keys = createKeys(db);
    await createAccounts(db).ensure(acme);
    await createAccounts(db).ensure({ ...acme, id: 'rival' });
    const key = (start: string, accountId: string, last4: string) =>
      ({ hash: start.padEnd(64, '0'), accountId, kind: 'token', name: null, last4, createdAtMs: 1 }) as const;
    const mine = key('abcd1', 'acme', 'W_%x');
    const other = key('abcd2', 'acme', 'abcd');
    for (const each of [mine, other, key('abcd3', 'rival', 'W_%x')]) await keys.insertIfAbsent(each);
    const match = async (text: string): Promise<string[]> =>
      (await keys.match('acme', text)).map(({ hash }) => hash.slice(0, 5));
    assert.deepEqual(await match('abcd1'), ['abcd1']);
    assert.deepEqual(await match('abcd'), ['abcd1', 'abcd2']);
    assert.deepEqual(await match('W_%x'), ['abcd1']);
    for (const text of ['', '%', 'abc', 'ABCD1', '____', 'w_%x'])
      assert.deepEqual(await match(text), [], text);
  });
}
