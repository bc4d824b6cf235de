import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';

import { configuration } from '../../src/configuration.ts';
import { doctorTools } from '../../src/features/service/doctor-tools.ts';
import { createCandidateFinder } from '../../src/features/search/corpus/find.ts';
import type { CandidateOptions } from '../../src/features/search/corpus/candidates.ts';
import { tendNearest } from '../../src/features/search/corpus/nearest-index.ts';
import { CorpusVectors } from '../../src/features/search/corpus/vectors.ts';
import { openDatabase, type Database } from '../../src/kernel/store/database.ts';
import {
  postgresSkipReason,
  startPostgres,
  vectorsSkipReason,
  type TestPostgres,
} from '../support/postgres.ts';
import { startServer } from '../support/server.ts';
import { poll, until } from '../support/until.ts';
import { documentOf, everything, passageOf } from './corpus-documents.ts';
import { corpusAccountTests } from './suite-corpus-accounts.ts';
import { corpusNearestTests, documentAt, east, nearest, refuse, vectorOf } from './suite-corpus-nearest.ts';
import { corpusTests, openCorpus, type It } from './suite-corpus.ts';

const engine = { embeddedBy: 'words', dimensions: 4 };
const quiet = { log: { info: () => {} }, signal: new AbortController().signal };

async function tend({ postgres }: Database, of = engine) {
  assert.ok(postgres !== null);
  return tendNearest(postgres, of, quiet);
}

const configFor = (database: string) =>
  configuration.load({ env: { NESTOR_DATABASE_URL: database, NESTOR_DATA: '/nowhere' }, cwd: '/' });

suite('the corpus on PostgreSQL with pgvector', { skip: vectorsSkipReason() }, () => {
  let server: TestPostgres;
  before(async () => {
    server = await startPostgres({ hasVectors: true });
  });
  after(() => server.close());

  const it: It = (name, body) => {
    void test(name, async () => {
      const database = await openDatabase(await server.createStore(), { dataFolder: '/nowhere' });
      try {
        assert.equal(await tend(database), 'ready');
        await body(database);
      } finally {
        await database.close();
      }
    });
  };
  corpusTests(it);
  corpusAccountTests(it);
  corpusNearestTests(it);

  it('the table has a vector for each window that has a direction, and none of what went', async (database) => {
    const { corpus } = await openCorpus(database);
    const count = async () => (await sql`select 1 from corpus_vectors`.execute(database.db)).rows.length;
    await corpus.put([
      documentAt('http://a/windows', [0, 0, 100, 0, ...east, 0, 0, 0, 0]),
      documentAt('http://a/beside', [0, 100, 0, 0]),
    ]);
    assert.equal(await count(), 3);
    await corpus.put([documentAt('http://a/windows', east)]);
    assert.equal(await count(), 2);
    await corpus.remove('s1', ['http://a/windows', 'http://a/beside']);
    assert.equal(await count(), 0);
  });

  it('vectors that were there before are copied, new ones follow, and another engine begins anew', async (database) => {
    const { corpus } = await openCorpus(database);
    await sql`drop table corpus_vectors`.execute(database.db);
    await sql`drop trigger corpus_vectors_insert on corpus_passages`.execute(database.db);
    await corpus.put([documentAt('http://a/1', east)]);
    assert.equal(await tend(database), 'ready');
    assert.deepEqual(await nearest(database, east), ['http://a/1']);
    const other = { embeddedBy: "o'ther", dimensions: 4 };
    assert.equal(await tend(database, other), 'ready');
    assert.deepEqual(await nearest(database, east, {}, other.embeddedBy), []);
    const vectors = new CorpusVectors(database.db);
    const [stale] = await vectors.stale(other.embeddedBy, 0, 9);
    assert.ok(stale !== undefined);
    await vectors.put(stale, other.embeddedBy, [{ id: stale.id * 1_024, vector: vectorOf(...east) }]);
    assert.deepEqual(await nearest(database, east, {}, other.embeddedBy), ['http://a/1']);
  });

  it('many passages are found through an index, which finds nearly what comparing each finds', async (database) => {
    const { corpus } = await openCorpus(database);
    // A spiral, so that every direction has its neighbours, and each document has a thousand passages of it.
    const spiral = (n: number) => [Math.cos(n / 97) * 100, Math.sin(n / 97) * 100, Math.cos(n / 13) * 60, (n % 100) - 50].map(Math.round); // prettier-ignore
    for (let at = 0; at < 6; at++) {
      const passages = Array.from({ length: 1_000 }, (_, n) => passageOf(`p${n}`, '', n, vectorOf(...spiral(at * 1_000 + n)))); // prettier-ignore
      await corpus.put([documentOf(`http://a/${at}`, `d${at}`, { passages })]);
    }
    const ask = async (values: readonly number[], options: Partial<CandidateOptions> = {}) => {
      const finder = createCandidateFinder(database.db, () => 0, refuse);
      const meaning = Promise.resolve({ values: Float32Array.from(values), embeddedBy: 'words' });
      return (await finder.find('unheardof', { ...everything, ...options, meaning })).passages.map(
        ({ id }) => id,
      );
    };
    assert.deepEqual(await ask(east), [], 'too many to be compared, and no index yet');
    assert.equal(await tend(database), 'ready');
    const { rows } = await sql<{ id: number }>`select passage_id as id from corpus_vectors
      order by (embedding <=> ${`[${east.join(',')}]`}::vector) + 0 limit 40`.execute(database.db);
    const found = new Set(await ask(east));
    assert.equal(found.size, 40);
    const shared = rows.filter(({ id }) => found.has(id)).length;
    assert.ok(shared >= 36, `${shared} of 40`);
    assert.equal((await ask(east, { allowDomains: ['a'] })).length, 40);
    assert.equal((await ask(east, { sourceIds: ['s1'] })).length, 40);
    assert.equal((await ask(east, { allowDomains: ['b'] })).length, 0);
    await corpus.put([
      documentOf('http://b/0', 'b', { passages: [passageOf('b', '', 0, vectorOf(...east))] }),
    ]);
    assert.equal((await ask(east, { denyDomains: ['a'] })).length, 1);
    assert.equal(await tend(database), 'ready', 'and nothing is left to do');
  });

  void test('`nestor doctor` says whether the server has pgvector', async () => {
    const look = async () => (await doctorTools.lookAtStore(configFor(url))).pgvector;
    const url = await server.createStore();
    assert.equal(await look(), '');
    const database = await openDatabase(url, { dataFolder: '/nowhere' });
    await tend(database);
    await database.close();
    assert.match(String(await look()), /^0\.\d/);
  });

  void test('a server that starts makes what it needs, and fills it with its guide', async (t) => {
    const database = await server.createStore();
    await startServer(t, {
      env: { NESTOR_DATABASE: database, NESTOR_EMBEDDINGS_ENGINE: 'words' },
      withDocs: true,
    });
    const store = await openDatabase(database, { dataFolder: '/nowhere' });
    t.after(() => store.close());
    const { rows } = await poll(
      () =>
        sql<{ readonly comment: string | null }>`select
          obj_description(to_regclass('corpus_vectors'), 'pg_class') as comment`.execute(store.db),
      (found) => found.rows[0]?.comment?.includes('filled') === true,
    );
    assert.deepEqual(rows[0]?.comment, 'nestor 1 256 filled words');
    const counted = await sql<{ readonly n: number }>`select count(*)::int as n from corpus_vectors`.execute(
      store.db,
    );
    assert.ok((counted.rows[0]?.n ?? 0) > 100, 'the guide is in it');
  });

  void test('a server that stops waits for no statement', async () => {
    const database = await openDatabase(await server.createStore(), { dataFolder: '/nowhere' });
    const { postgres } = database;
    assert.ok(postgres !== null);
    const holder = await postgres.connect();
    await holder.query('begin');
    await holder.query('lock table corpus_passages in access exclusive mode');
    const stopping = new AbortController();
    const tended = tendNearest(postgres, engine, { ...quiet, signal: stopping.signal });
    const settled = assert.rejects(tended);
    await until(async () => {
      const { rows } = await holder.query('select 1 from pg_locks where not granted');
      return rows.length > 0;
    });
    stopping.abort();
    await settled;
    await holder.end();
    // PostgreSQL notices the end of a session when it next writes to it.
    await poll(
      () => tend(database),
      (state) => state === 'ready',
    );
    await database.close();
  });

  it('of several processes one is at it', async (database) => {
    const states = await Promise.all([tend(database), tend(database), tend(database)]);
    assert.ok(states.includes('ready'), String(states));
    assert.ok(states.every((state) => state === 'ready' || state === 'elsewhere'));
  });
});

suite('a PostgreSQL without pgvector', { skip: postgresSkipReason() }, () => {
  void test('is said to be one, and finds by words', async (t) => {
    const server = await startPostgres();
    t.after(() => server.close());
    const database = await openDatabase(await server.createStore(), { dataFolder: '/nowhere' });
    t.after(() => database.close());
    const state = await tend(database);
    if (state === 'ready') return t.skip('this PostgreSQL has pgvector');
    assert.equal(state, 'missing');
    const { corpus, find } = await openCorpus(database);
    await corpus.put([documentAt('http://a/1', east)]);
    assert.deepEqual(await nearest(database, east), []);
    assert.deepEqual(await find('text'), ['http://a/1']);
  });

  test('`index.engine` refuses a store that is another than was meant', () => {
    const load = (database: string, engine: string) =>
      configuration.load({ env: { NESTOR_DATABASE_URL: database, NESTOR_INDEX_ENGINE: engine }, cwd: '/' });
    const postgres = 'postgres://nestor@db/nestor';
    assert.throws(() => load('sqlite', 'postgres'), /index\.engine is postgres, while database is sqlite/);
    assert.throws(() => load(postgres, 'sqlite'), /index\.engine is sqlite, while database is postgres/);
    assert.equal(load(postgres, 'postgres').index.engine, 'postgres');
    assert.equal(load('sqlite', 'auto').index.engine, 'auto');
  });
});
