import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { sql } from 'kysely';
import { openJournal } from '../../src/features/accounts/ledger/journal.ts';
import { openSetAside } from '../../src/features/accounts/ledger/set-aside.ts';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { createUsage } from '../../src/features/accounts/store/usage.ts';
import { usageRow } from '../storage/suite-metering.ts';
import { openConsole, type Console } from './support.ts';

const now = Date.now();
const rowOf = (id: string) => usageRow(id, { createdAtMs: now });

const journalOf = (folder: string, name: string) =>
  openJournal({ folder, name, clock: systemClock, onStray: () => {} });

/** A server that ended with rows, one that lives with rows, one row that was refused, one that is damaged. */
async function prepare({ folder, nestor }: Console) {
  assert.equal((await nestor(['migrate'])).code, 0);
  const journals = join(dataOf(folder), 'usage-journal');
  const left = journalOf(journals, 'left');
  for (const id of ['a', 'b']) left.append(JSON.stringify(rowOf(id)));
  left.close();
  const live = journalOf(journals, 'live');
  live.append(JSON.stringify(rowOf('c')));
  const aside = openSetAside(journals);
  aside.refused(rowOf('d'), 'a value does not fit its column');
  aside.damaged(Buffer.from('{"id":"half of a r\n'));
  return { journals, live };
}

const dataOf = (folder: string): string => join(folder, 'data');

suite('nestor ledger', () => {
  test('status tells what waits, of whom, and what was set aside', async (t) => {
    const opened = openConsole(t);
    const { journals, live } = await prepare(opened);
    writeFileSync(join(journals, 'notes.txt'), '');
    const { code, out } = await opened.nestor(['ledger']);
    assert.equal(code, 0);
    assert.match(out, /^left +left +2 /m);
    assert.match(out, /^live +live +1 /m);
    assert.match(out, /1 damaged, 1 refused; try: nestor ledger repair/);
    assert.match(out, /notes\.txt is not of the ledger: move it elsewhere/);
    const json = JSON.parse((await opened.nestor(['ledger', 'status', '--json'])).out) as {
      readonly processes: readonly { readonly oldest_at: number }[];
    };
    assert.equal(json.processes[0]?.oldest_at, Math.floor(now / 1_000));
    live.close();
  });

  test('status answers when the database is away', async (t) => {
    const { nestor } = openConsole(t);
    const env = { NESTOR_DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' };
    const { code, out } = await nestor(['ledger', 'status'], { env });
    assert.deepEqual([code, out], [0, 'Nothing waits: every row is in the database\n']);
  });

  test('repair hands on what a server left, tries again what was refused, and leaves a server that lives alone', async (t) => {
    const opened = openConsole(t);
    const { journals, live } = await prepare(opened);
    const { code, out } = await opened.nestor(['ledger', 'repair', '--json']);
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(out), {
      adopted: 2,
      recovered: 1,
      set_aside: 1,
      days: { days: 1, mended: 0 },
    });
    const database = await openDatabase('sqlite', { dataFolder: dataOf(opened.folder) });
    t.after(() => database.close());
    const rows = await createUsage(database.db).page({});
    assert.deepEqual(rows.map(({ id }) => id).toSorted(), ['a', 'b', 'd']);
    assert.deepEqual(readdirSync(journals).toSorted(), ['live', 'set-aside']);
    assert.equal(live.state().rows, 1);
    live.close();
    const again = JSON.parse((await opened.nestor(['ledger', 'repair', '--json'])).out) as object;
    assert.deepEqual(again, { adopted: 1, recovered: 0, set_aside: 1, days: { days: 1, mended: 0 } });
  });

  test('repair puts right sums that are not those of their rows', async (t) => {
    const opened = openConsole(t);
    assert.equal((await opened.nestor(['migrate'])).code, 0);
    const database = await openDatabase('sqlite', { dataFolder: dataOf(opened.folder) });
    t.after(() => database.close());
    const usage = createUsage(database.db);
    const dayMs = 86_400_000;
    for (let day = 0; day < 5; day++)
      for (const key of ['k1', 'k2'])
        await usage.insertBatch([usageRow(`${day}${key}`, { keyId: key, createdAtMs: now - day * dayMs })]);
    const right = await usage.totals({ by: ['day', 'key'] });
    await sql`update usage_days set input_tokens = 7 where key_id = 'k1'`.execute(database.db);
    await sql`delete from usage_days where key_id = 'k2'`.execute(database.db);
    await sql`insert into usage_days
      (account_id, day, key_id, operation, model, requests, input_tokens, output_tokens, cost_usd)
      values ('ghost', ${Math.floor(now / dayMs)}, 'k', 'o', '', 1, 1, 1, 1)`.execute(database.db);
    const { out } = await opened.nestor(['ledger', 'repair']);
    assert.match(out, /5 days were compared with their rows, 11 sums were put right/);
    assert.deepEqual(await usage.totals({ by: ['day', 'key'] }), right);
    // Rows that were removed take nothing from their sums.
    await usage.forget(now - 2 * dayMs, 100);
    await opened.nestor(['ledger', 'repair']);
    assert.deepEqual(await usage.totals({ by: ['day', 'key'] }), right);
  });

  test('a damaged record that became whole again is handed on', async (t) => {
    const opened = openConsole(t);
    const { journals, live } = await prepare(opened);
    live.close();
    const folder = join(journals, 'set-aside');
    const name = readdirSync(folder).find((file) => file.endsWith('.damaged')) ?? '';
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), '');
    appendFileSync(join(folder, name), `${JSON.stringify(rowOf('mended'))}\n`);
    const { out } = await opened.nestor(['ledger', 'repair', '--json']);
    assert.match(out, /"recovered": 2/);
    assert.deepEqual(readdirSync(folder), []);
    assert.ok(!readFileSync(join(dataOf(opened.folder), 'nestor.db')).includes('half of a r'));
  });
});
