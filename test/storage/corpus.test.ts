import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { openDatabase, type Database } from '../../src/kernel/store/database.ts';
import { openMadeStore } from '../support/made-store.ts';
import { postgresSkipReason, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { corpusAccountTests } from './suite-corpus-accounts.ts';
import { corpusNearestTests } from './suite-corpus-nearest.ts';
import { corpusTests, type It } from './suite-corpus.ts';

function runOn(open: () => Promise<Database>, ...suites: readonly ((it: It) => void)[]): void {
  const it: It = (name, body) => {
    void test(name, async () => {
      const database = await open();
      try {
        await body(database);
      } finally {
        await database.close();
      }
    });
  };
  for (const tests of [corpusTests, corpusAccountTests, ...suites]) tests(it);
}

suite('the corpus on SQLite', () => {
  runOn(openMadeStore, corpusNearestTests);

  test('what a crawl takes next is found without sorting all that wait', async (t) => {
    const database = await openMadeStore();
    t.after(() => database.close());
    const { rows } = await sql<{ detail: string }>`explain query plan
      select url, depth from corpus_frontier where source_id = 's' and is_done = 0
      order by depth, url limit 16`.execute(database.db);
    assert.deepEqual(
      rows.map(({ detail }) => detail),
      ['SEARCH corpus_frontier USING COVERING INDEX corpus_frontier_next (source_id=? AND is_done=?)'],
    );
  });
});

suite('the corpus on PostgreSQL', { skip: postgresSkipReason() }, () => {
  let server: TestPostgres;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.close());
  runOn(async () => openDatabase(await server.createStore(), { dataFolder: '/nowhere' }));
});
