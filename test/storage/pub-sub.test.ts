import assert from 'node:assert/strict';
import { after, before, suite, test, type TestContext } from 'node:test';

import { sql } from 'kysely';

import { openDatabase, type Database } from '../../src/kernel/store/database.ts';
import { openPubSub } from '../../src/kernel/store/pub-sub.ts';
import { postgresSkipReason, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { settle, until } from '../support/until.ts';

async function open(context: TestContext, url: string): Promise<Database> {
  const database = await openDatabase(url, { dataFolder: '/nowhere' });
  context.after(() => database.close());
  return database;
}

test('SQLite: a notice arrives in its own process, at its topic only, and not within the call', async (context) => {
  const pubSub = await openPubSub(await open(context, 'sqlite::memory:'));
  const seen: string[] = [];
  const stop = pubSub.subscribe('error', (text) => seen.push(text));
  pubSub.subscribe('other', () => seen.push('wrong'));
  const published = pubSub.publish('error', 'a');
  assert.deepEqual(seen, []);
  await published;
  await until(() => seen.length > 0);
  assert.deepEqual(seen, ['a']);
  stop();
  await pubSub.publish('error', 'b');
  await settle();
  assert.deepEqual(seen, ['a']);
  await assert.rejects(pubSub.publish('x', 'é'.repeat(4_000)), RangeError);
  assert.equal(pubSub.isConnected(), true);
  await pubSub.close();
  assert.equal(pubSub.isConnected(), false);
});

suite('publish/subscribe over PostgreSQL', { skip: postgresSkipReason() }, () => {
  let server: TestPostgres;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.close());

  test('arrive at every process, in order, in any characters', async (context) => {
    const url = await server.createDatabase();
    const database = await open(context, url);
    const one = await openPubSub(database);
    const two = await openPubSub(await open(context, url));
    const arrived: string[] = [];
    const own: string[] = [];
    two.subscribe('keys', (text) => arrived.push(text));
    two.subscribe('error', () => assert.fail('another topic'));
    one.subscribe('keys', (text) => own.push(text));
    for (const foreign of ['', 'no json', '{}', '["keys"]', '["keys", 1]', 'null']) {
      await sql`select pg_notify('nestor', ${foreign})`.execute(database.db);
    }
    const texts = Array.from({ length: 40 }, (_, n) => `${n} 'é' \u{1F600} "${'x'.repeat(n * 100)}"`);
    for (const text of texts) await one.publish('keys', text);
    await until(() => arrived.length === texts.length && own.length === texts.length, 'not all came');
    assert.deepEqual(arrived, texts);
    assert.deepEqual(own, texts);
    await assert.rejects(one.publish('keys', 'x'.repeat(8_000)), RangeError);
    await one.close();
    await two.close();
    await two.close();
  });

  test('a lost connection is reported, opened again and reported, and messages arrive again', async (context) => {
    const database = await open(context, await server.createDatabase());
    const changes: boolean[] = [];
    const pubSub = await openPubSub(database, { onConnection: (isConnected) => changes.push(isConnected) });
    const seen: string[] = [];
    pubSub.subscribe('keys', (text) => seen.push(text));
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where query like 'listen%' and datname = current_database()`.execute(database.db);
    await until(() => changes.length === 2, 'not told of both');
    assert.deepEqual(changes, [false, true]);
    await pubSub.publish('keys', 'after one session');
    await until(() => seen.length === 1, 'no notice after the first');
    await server.stop();
    await until(() => changes.length === 3, 'not told of the loss');
    assert.equal(pubSub.isConnected(), false);
    await until(() => database.health() === 'down');
    await server.start();
    await until(() => pubSub.isConnected() && database.health() === 'ok', 'not connected again');
    assert.deepEqual(changes, [false, true, false, true]);
    await pubSub.publish('keys', 'after a restart');
    await until(() => seen.length === 2, 'no notice after the restart');
    assert.deepEqual(seen, ['after one session', 'after a restart']);
    await pubSub.close();
    assert.deepEqual(changes, [false, true, false, true]);
  });

  test('closing while the server is away ends the attempts', async (context) => {
    const database = await open(context, await server.createDatabase());
    const pubSub = await openPubSub(database);
    await server.stop();
    await until(() => !pubSub.isConnected(), 'still connected');
    await pubSub.close();
  });
});
