import { after, before, suite, test } from 'node:test';

import { openDatabase, type Database } from '../../src/storage/database.ts';
import { postgresSkipReason, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { corpusTests } from './suite-corpus.ts';

function runOn(open: () => Promise<Database>): void {
  corpusTests((name, body) => {
    test(name, async () => {
      const database = await open();
      try {
        await body(database);
      } finally {
        await database.close();
      }
    });
  });
}

suite('the corpus on SQLite', () => {
  runOn(() => openDatabase('sqlite::memory:', { dataFolder: '/nowhere' }));
});

suite('the corpus on PostgreSQL', { skip: postgresSkipReason() }, () => {
  let server: TestPostgres;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.close());
  runOn(async () => openDatabase(await server.createDatabase(), { dataFolder: '/nowhere' }));
});
