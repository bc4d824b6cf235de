import assert from 'node:assert/strict';
import { after, before, suite, test, type TestContext } from 'node:test';

import { sql } from 'kysely';

import { createSharedBuckets } from '../../src/features/accounts/store/buckets.ts';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { postgresSkipReason, sharePostgres, type SharedPostgres } from '../support/postgres.ts';
import { frozen, testBuckets } from './suite-buckets.ts';

test('only PostgreSQL has shared buckets', async () => {
  const database = await openDatabase('sqlite::memory:', { dataFolder: '/nowhere' });
  assert.throws(() => createSharedBuckets(database), /only PostgreSQL/);
  await database.close();
});

suite('shared buckets', { skip: postgresSkipReason() }, () => {
  let server: SharedPostgres;
  before(async () => {
    server = await sharePostgres();
  });
  after(() => server.close());

  async function open(context: TestContext) {
    const url = await server.createStore();
    const database = await openDatabase(url, { dataFolder: '/nowhere' });
    context.after(() => database.close());
    const valueOf = async (key: string) => {
      // `missing` is what an empty bucket lacks: below zero, so many are held.
      const { rows } = await sql<{ missing: number; at_ms: number }>`
        select missing, at_ms from buckets where key = ${key}`.execute(database.db);
      const [row] = rows;
      assert.ok(row);
      return { held: -row.missing, at: row.at_ms };
    };
    const setBack = async (key: string, byMs: number) => {
      await sql`update buckets set at_ms = at_ms + ${byMs} where key = ${key}`.execute(database.db);
    };
    return { url, database, buckets: createSharedBuckets(database), valueOf, setBack };
  }

  testBuckets(open);

  test('buckets that rest are swept, and what is swept is full again', async (context) => {
    const { buckets, database } = await open(context);
    await buckets.take([{ key: 'old', rate: frozen(5), cost: 5 }]);
    await sql`update buckets set at_ms = at_ms - 10000`.execute(database.db);
    await buckets.take([{ key: 'new', rate: frozen(5), cost: 5 }]);
    assert.equal(await buckets.sweep(5_000), 1);
    const told = await buckets.take([
      { key: 'old', rate: frozen(5) },
      { key: 'new', rate: frozen(5) },
    ]);
    assert.deepEqual(
      told.map(({ allowed }) => allowed),
      [true, false],
    );
    const sweeping = Array.from({ length: 20 }, () => buckets.sweep(-1_000));
    const taking = Array.from({ length: 100 }, () => buckets.take([{ key: 'x', rate: frozen(1e6) }]));
    await Promise.all([...sweeping, ...taking]);
  });
});
