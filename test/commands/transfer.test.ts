import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { suite, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { createPurchases } from '../../src/features/accounts/store/purchases.ts';
import { createUsage } from '../../src/features/accounts/store/usage.ts';
import { postgresSkipReason, sharePostgres } from '../support/postgres.ts';
import { usageRow } from '../storage/suite-metering.ts';
import { openConsole, type Console } from './support.ts';

async function fill({ nestor, folder }: Console): Promise<void> {
  await nestor(['accounts', 'create', 'acme']);
  await nestor(['keys', 'create', 'acme']);
  const database = await openDatabase('sqlite', { dataFolder: join(folder, 'data') });
  // Eighths add up exactly in whatever order a store takes them.
  const rows = Array.from({ length: 1_500 }, (_, n) =>
    usageRow(`r${n}`, {
      accountId: n % 3 === 0 ? 'acme' : 'zeta',
      costUsd: n / 8,
      createdAtMs: 1.7e12 + n * 1e7,
    }),
  );
  const purchase = { id: 'p1', accountId: 'acme', amountUsd: 49.9, note: '', createdAtMs: 1.7e12 };
  await createPurchases(database.db).add(purchase);
  await createUsage(database.db).insertBatch(rows);
  await database.close();
}

suite('nestor migrate, export and import', () => {
  test('an export is whole, for its owner only, and never overwrites a file', async (t) => {
    const opened = openConsole(t);
    const { nestor, folder } = opened;
    await fill(opened);
    const exported = await nestor(['export', 'all.jsonl']);
    assert.deepEqual([exported.code, exported.err], [0, '']);
    assert.match(exported.out, /^Exported 1 accounts, 1 keys, 1 credit purchases, 1500 usage/);
    const file = join(folder, 'all.jsonl');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.ok(!existsSync(`${file}.partial`));
    const before = readFileSync(file, 'utf8');
    const again = await nestor(['export', 'all.jsonl']);
    assert.deepEqual([again.code, again.err], [1, 'nestor: all.jsonl exists and is left as it is.\n']);
    const piped = await nestor(['export', '-']);
    assert.equal(piped.out, before);
    assert.match(piped.err, /^Exported /);
  });

  test('an import is everything or nothing, and takes an empty store only', async (t) => {
    const opened = openConsole(t);
    const { nestor, folder } = opened;
    await fill(opened);
    await nestor(['export', 'all.jsonl']);
    const text = readFileSync(join(folder, 'all.jsonl'), 'utf8');
    const empty = { NESTOR_DATABASE_URL: `sqlite:${join(folder, 'other.db')}` };
    writeFileSync(join(folder, 'half.jsonl'), text.slice(0, text.length / 2));
    const half = await nestor(['import', 'half.jsonl'], { env: empty }).catch((error: unknown) => error);
    assert.match(String(half), /^Error: import: line \d+ is not JSON$/);
    const whole = await nestor(['import', '-'], { env: empty, stdin: text });
    assert.match(whole.out, /^Imported 1 accounts/);
    const twice = await nestor(['import', 'all.jsonl'], { env: empty }).catch((error: unknown) => error);
    assert.match(String(twice), /^Error: import: the store is not empty/);
    assert.equal((await nestor(['export', '-'], { env: empty })).out, text);
  });

  test('what cannot be read is told before the store is asked, however late that shows', async (t) => {
    const { nestor } = openConsole(t);
    await nestor(['accounts', 'create', 'acme']);
    const stdin = new Readable({
      async read() {
        for (let turn = 0; turn < 20_000; turn++) await setImmediate();
        this.destroy(Object.assign(new Error('read EIO'), { syscall: 'read', code: 'EIO' }));
      },
    });
    const { code, err } = await nestor(['import', '-'], { stdin });
    assert.deepEqual([code, err], [1, 'nestor: - cannot be read (EIO).\n']);
  });

  test('progress is shown on a terminal and nowhere else', async (t) => {
    const opened = openConsole(t);
    const { nestor } = opened;
    await fill(opened);
    assert.match((await nestor(['export', 'a.jsonl'], { isTerminal: true })).err, /(\d{4})\/\1 \(100 %\)/);
    assert.equal((await nestor(['export', 'b.jsonl'])).err, '');
  });

  test('what is interrupted leaves no file behind', async (t) => {
    const opened = openConsole(t);
    const { nestor, folder } = opened;
    await fill(opened);
    const stopped = await nestor(['export', 'all.jsonl'], { signal: AbortSignal.abort() });
    assert.deepEqual([stopped.code, stopped.err], [130, 'nestor: Interrupted; nothing was exported.\n']);
    assert.ok(!existsSync(join(folder, 'all.jsonl')) && !existsSync(join(folder, 'all.jsonl.partial')));
  });

  test('migrate says which schema the store has', async (t) => {
    const { nestor } = openConsole(t);
    const { out, code } = await nestor(['migrate']);
    assert.match(out, /^The store \(sqlite\) has the schema \d{4}-[a-z-]+\n$/);
    assert.equal(code, 0);
  });
});

suite('between the stores', { skip: postgresSkipReason() }, () => {
  test('SQLite to PostgreSQL and back: the totals and every row stay', async (t) => {
    const postgres = await sharePostgres();
    t.after(() => postgres.close());
    const opened = openConsole(t);
    const { nestor, folder } = opened;
    await fill(opened);
    const scaled = { NESTOR_DATABASE_URL: await postgres.createDatabase() };
    const back = { NESTOR_DATABASE_URL: `sqlite:${join(folder, 'back.db')}` };
    await nestor(['export', 'one.jsonl']);
    await nestor(['import', 'one.jsonl'], { env: scaled });
    await nestor(['export', 'two.jsonl'], { env: scaled });
    await nestor(['import', 'two.jsonl'], { env: back });
    const totals = async (env: Readonly<Record<string, string>>) =>
      (await nestor(['usage', '--by', 'account,day,model', '--json'], { env })).out;
    const first = await totals({});
    assert.ok(first.length > 1_000);
    assert.ok((await totals(scaled)) === first && (await totals(back)) === first);
    assert.equal(
      (await nestor(['export', '-'], { env: back })).out,
      readFileSync(join(folder, 'one.jsonl'), 'utf8'),
    );
  });
});
