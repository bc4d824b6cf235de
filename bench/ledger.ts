import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openJournal } from '../src/features/accounts/ledger/journal.ts';
import { openMeter } from '../src/features/accounts/ledger/meter.ts';
import { openSetAside } from '../src/features/accounts/ledger/set-aside.ts';
import { systemClock } from '../src/kernel/kit/clock.ts';
import { openDatabase, type Database } from '../src/kernel/store/database.ts';
import { createUsage, type Usage } from '../src/features/accounts/store/usage.ts';
import type { UsageRow } from '../src/features/accounts/store/usage-row.ts';
import { usageRow } from '../test/storage/suite-metering.ts';
import { printTable, type Row } from './support/table.ts';

/** BENCH_LEDGER_ROWS=100000 for a quick run. */
const rowsInStore = Number(process.env['BENCH_LEDGER_ROWS'] ?? 1_600_000);
const days = 90;
const dayMs = 86_400_000;
const rowsPerBatch = 512;

/** What a row costs the request that it is for, and what sums cost when there are many rows. */
export async function run(): Promise<void> {
  console.log(`${process.version}, ${cpus().length} cores`);
  const folder = mkdtempSync(join(tmpdir(), 'nestor-bench-'));
  try {
    await benchRows(folder);
    await benchSums(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchRows(folder: string): Promise<void> {
  const count = 200_000;
  const rows = Array.from({ length: 1_000 }, (_, n) => usageRow(`r${n}`, { createdAtMs: Date.now() }));
  const file = openSync(join(folder, 'plain.jsonl'), 'a');
  const plain = microsecondsOf(count, (n) => {
    writeSync(file, `${JSON.stringify(rows[n % 1_000])}\n`);
  });
  closeSync(file);
  const journals = join(folder, 'usage-journal');
  const meter = openMeter({
    journal: openJournal({ folder: journals, name: 'bench', clock: systemClock, onStray: () => {} }),
    setAside: openSetAside(journals),
    store: () => Promise.resolve(),
    clock: systemClock,
    keepMs: 400 * dayMs,
    flushEveryMs: 1e9,
    onError: (error) => console.log(error),
    onAccepting: () => {},
    onSetAside: () => {},
  });
  const ledger = microsecondsOf(count, (n) => {
    meter.reserve().keep(rows[n % 1_000] ?? usageRow('none'));
  });
  const before = process.cpuUsage();
  await meter.close();
  const { user, system } = process.cpuUsage(before);
  printTable(
    'One row of the ledger',
    ['step', 'us of CPU'],
    [
      ['appended to a file as a line of JSON', plain],
      ['room taken, checked, written with its checksum', ledger],
      ['read back and given to a store that does nothing', (user + system) / count],
    ],
  );
}

function microsecondsOf(count: number, work: (n: number) => void): number {
  for (let n = 0; n < 10_000; n++) work(n);
  const before = process.cpuUsage();
  for (let n = 0; n < count; n++) work(n);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

async function benchSums(folder: string): Promise<void> {
  const database = await openDatabase(`sqlite:${join(folder, 'bench.db')}`, { dataFolder: folder });
  const usage = createUsage(database.db, database.reports);
  const fillMs = await fill(usage);
  const fromMs = Date.UTC(2026, 0, 10, 12);
  const table: readonly Row[] = [
    [`batch of ${rowsPerBatch} rows with its sums, written`, fillMs],
    ['total of everything, from rows', await rawMs(database, 0)],
    ['total of everything, from sums', await msOf(() => usage.totals({ by: [] }))],
    ['from the middle of a day, from rows', await rawMs(database, fromMs)],
    ['from the middle of a day, from sums', await msOf(() => usage.totals({ by: [], fromMs }))],
    ['one account by day, from sums', await msOf(() => usage.totals({ by: ['day'], accountId: 'a1' }))],
  ];
  printTable(`${rowsInStore} rows, SQLite`, ['question', 'ms'], table);
  await database.close();
}

/** Resolves to the time of one batch. Unit: ms. */
async function fill(usage: Usage): Promise<number> {
  const first = Date.UTC(2026, 0, 1);
  const startedAt = performance.now();
  for (let from = 0; from < rowsInStore; from += rowsPerBatch) {
    const rows: UsageRow[] = Array.from({ length: rowsPerBatch }, (_, index) => {
      const n = from + index;
      const createdAtMs = first + Math.floor((n / rowsInStore) * days * dayMs);
      return usageRow(`r${n}`, { accountId: `a${n % 20}`, keyId: `k${n % 60}`, createdAtMs });
    });
    await usage.insertBatch(rows);
  }
  return (performance.now() - startedAt) / (rowsInStore / rowsPerBatch);
}

const rawMs = (database: Database, fromMs: number): Promise<number> =>
  msOf(() =>
    sql`select count(*), sum(input_tokens), sum(output_tokens), sum(cost_usd) from usage
      where created_at_ms >= ${fromMs}`.execute(database.reports),
  );

/** The best of three. */
async function msOf(work: () => Promise<unknown>): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < 3; round++) {
    const startedAt = performance.now();
    await work();
    best = Math.min(best, performance.now() - startedAt);
  }
  return best;
}
