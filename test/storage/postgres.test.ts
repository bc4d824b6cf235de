import { after, before, suite } from 'node:test';

import { openDatabase } from '../../src/kernel/store/database.ts';
import { postgresSkipReason, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { storageSuite } from './suite.ts';

suite('PostgreSQL', { skip: postgresSkipReason() }, () => {
  let server: TestPostgres;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.close());
  storageSuite('PostgreSQL', async () =>
    openDatabase(await server.createStore(), { dataFolder: '/nowhere' }),
  );
});
