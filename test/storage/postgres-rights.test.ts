import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';

import { Client } from 'pg';

import { systemClock } from '../../src/kernel/kit/clock.ts';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { createStoreProbe } from '../../src/kernel/store/probe.ts';
import { postgresSkipReason, startPostgres, testPassword, type TestPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const nowhere = { dataFolder: '/nowhere' };

function isOneLine(pattern: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof Error);
    assert.match(error.message, pattern);
    assert.match(error.message, /^database: [^\n]+$/);
    assert.ok(!error.message.includes(testPassword));
    return true;
  };
}

suite('PostgreSQL that refuses', { skip: postgresSkipReason() }, () => {
  let server: TestPostgres;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.close());

  test('a role that may not create tables is told so in one line, with what to run', async () => {
    const url = await server.createDatabase();
    const admin = new Client(url);
    await admin.connect();
    const name = new URL(url).pathname.slice(1);
    await admin.query(`create role ${name}_weak login password '${testPassword}'`);
    await admin.end();
    const weak = new URL(url);
    weak.username = `${name}_weak`;
    await assert.rejects(
      openDatabase(weak.href, nowhere),
      isOneLine(
        /the role d\d+_weak may not create tables; run nestor migrate once as the owner.*GRANT USAGE, CREATE ON SCHEMA public TO d\d+_weak/,
      ),
    );
  });

  test('a server that only reads from now on is down with the next probe, before a request meets it', async (context) => {
    const database = await openDatabase(await server.createDatabase(), nowhere);
    context.after(() => database.close());
    const probe = createStoreProbe(database, systemClock, { believedMs: 0, timeMaxMs: 60_000 });
    assert.equal(await probe(), 'ok');
    const admin = new Client(await server.createDatabase());
    await admin.connect();
    const turn = async (value: string) => {
      await admin.query(`alter system set default_transaction_read_only = ${value}`);
      await admin.query('select pg_reload_conf()');
    };
    try {
      await turn('on');
      while ((await probe()) === 'ok');
    } finally {
      await admin.query('set default_transaction_read_only = off');
      await turn('off');
      await admin.end();
    }
    // It comes back by itself, in the background.
    await until(async () => (await probe()) !== 'down');
  });
});
