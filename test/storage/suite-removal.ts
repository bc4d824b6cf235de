import assert from 'node:assert/strict';

import { sql } from 'kysely';

import { createAccountRemoval } from '../../src/features/accounts/account-removal.ts';
import { createClosedAccounts } from '../../src/features/accounts/store/closed-accounts.ts';
import { createUsage } from '../../src/features/accounts/store/usage.ts';
import { createAccountStorage } from '../../src/kernel/store/account-storage.ts';
import type { Database } from '../../src/kernel/store/database.ts';
import { hashSecret } from '../../src/kernel/kit/ids.ts';
import { CorpusSources } from '../../src/features/index/store/sources.ts';
import { Corpus } from '../../src/features/search/feature.ts';
import { createManualClock } from '../support/clock.ts';
import { documentOf } from './corpus-documents.ts';
import { usageRow } from './suite-metering.ts';

type It = (name: string, body: (database: Database) => Promise<void>) => void;

/** Tables of which no account has a row. */
const ofNobody = new Set([
  'processes',
  'secrets',
  'instants',
  'buckets',
  'kysely_migration',
  'kysely_migration_lock',
]);

/** What a store guarantees about the deletion of accounts. */
export function removalTests(it: It): void {
  for (const withLedger of [true, false])
    it(`nothing of an account is left, ${withLedger ? 'nor' : 'except'} its ledger, and all of another is`, async (database) => {
      await fillAccount(database, 'acme');
      await fillAccount(database, 'other');
      const before = await rowsOf(database);
      for (const [table, rows] of before)
        assert.equal(
          rows.some((row) => row.includes('acme')),
          !ofNobody.has(table),
          `${table} is filled`,
        );
      const { removal, closed } = open(database);
      await closed.close('acme', 1, withLedger);
      await removal.sweep(AbortSignal.any([]));
      const kept = withLedger ? [] : ['usage', 'usage_days'];
      const after = await rowsOf(database);
      for (const [table, rows] of before) {
        const wanted = kept.includes(table) ? rows : rows.filter((row) => !row.includes('acme'));
        assert.deepEqual(after.get(table), wanted, table);
      }
      assert.deepEqual(await wordsOf(database), ['other']);
      assert.deepEqual(await createAccountStorage(database.db).recount(), []);
    });

  it('what a request leaves that was under way goes too, until the id is free again', async (database) => {
    const { removal, closed, clock } = open(database);
    await fillAccount(database, 'acme');
    await closed.close('acme', clock.now(), false);
    await removal.sweep(AbortSignal.any([]));
    assert.ok((await closed.find('acme'))?.emptiedAtMs);
    const late = { accountId: 'acme', createdAtMs: clock.now() };
    await createUsage(database.db).insertBatch([usageRow('late', late)]);
    await database.db.insertInto('deciders').values(decider('acme')).execute();
    await removal.sweep(AbortSignal.any([]));
    assert.equal(await countOf(database, 'deciders'), 0);
    assert.notEqual(await closed.find('acme'), undefined);
    clock.advance(3_600_001);
    await removal.sweep(AbortSignal.any([]));
    assert.equal(await closed.find('acme'), undefined);
    assert.equal(await countOf(database, 'usage'), 2, 'the ledger is there, also what came late');
  });

  it('a removal that was broken off goes on from anywhere', async (database) => {
    const { removal, closed } = open(database);
    await fillAccount(database, 'acme');
    await closed.close('acme', 1, true);
    for (let steps = 0, isOver = false; !isOver; steps++) {
      const broken = new AbortController();
      let left = steps;
      // A signal that aborts after so many looks stands for a process that is killed there.
      const signal = Object.assign(broken.signal, {
        throwIfAborted() {
          if (left-- === 0) throw new Error('killed');
        },
      });
      isOver = await removal.empty('acme', true, signal).then(
        () => true,
        (error: unknown) => {
          assert.match(String(error), /killed/);
          return false;
        },
      );
      assert.deepEqual(await createAccountStorage(database.db).recount(), []);
    }
    assert.equal(await removal.hasRows('acme'), false);
  });

  it('two processes remove one account side by side', async (database) => {
    await fillAccount(database, 'acme');
    await open(database).closed.close('acme', 1, true);
    const both = [open(database), open(database)];
    await Promise.all(both.map(({ removal }) => removal.sweep(AbortSignal.any([]))));
    assert.equal(await open(database).removal.hasRows('acme'), false);
  });
}

function open({ db }: Database) {
  const clock = createManualClock();
  const closed = createClosedAccounts(db);
  return { clock, closed, removal: createAccountRemoval({ db, closed, clock }) };
}

const decider = (id: string, name = `d-${id}`) => ({
  account_id: id,
  name,
  definition: '{}',
  revision: 'r',
  created_at_ms: 1,
  updated_at_ms: 1,
});

/** A row of every table, and of some more than are removed at once. */
async function fillAccount(database: Database, id: string): Promise<void> {
  const { db } = database;
  const own = { account_id: id, created_at_ms: 1 } as const;
  const later = { ...own, expires_at_ms: 9 } as const;
  const many = <Row>(count: number, row: (at: number) => Row) =>
    Array.from({ length: count }, (_, at) => row(at));
  await db.insertInto('accounts').values({ id, name: id, created_at_ms: 1 }).execute();
  const key = { hash: hashSecret(id), kind: 'token', name: id, last4: 'last' } as const;
  await db
    .insertInto('keys')
    .values({ ...own, ...key })
    .execute();
  await db
    .insertInto('credit_purchases')
    .values({ ...own, id: `p-${id}`, amount_usd: 1, note: '' })
    .execute();
  await createUsage(db).insertBatch([usageRow(`u-${id}`, { accountId: id })]);
  const job = {
    model: 'm',
    status: 'CREATED',
    request: '{}',
    request_hash: 'h',
    idempotency_key: null,
  } as const;
  await db
    .insertInto('jobs')
    .values(many(40, (at) => ({ ...own, ...job, id: `j-${id}-${at}`, key_id: 'k' })))
    .execute();
  await db
    .insertInto('skills')
    .values({ ...own, id: `s-${id}`, latest_revision: 'r', updated_at_ms: 1 })
    .execute();
  const revision = { name: 'n', description: 'd', extra: '{}', bundle: '', created_at_ms: 1 };
  await db
    .insertInto('skill_revisions')
    .values({ ...revision, id: `r-${id}`, skill_id: `s-${id}` })
    .execute();
  await db
    .insertInto('deciders')
    .values(many(600, (at) => decider(id, `d-${at}`)))
    .execute();
  const learned = { ...own, decider: 'd' };
  await db
    .insertInto('decider_examples')
    .values({ ...learned, id: `e-${id}`, example: '{}' })
    .execute();
  await db
    .insertInto('decider_example_vectors')
    .values({ example_id: `e-${id}`, features: 'f', vectors: '' })
    .execute();
  await db
    .insertInto('decider_fits')
    .values({ ...learned, id: `f-${id}`, state: 'running' })
    .execute();
  const batch = {
    id: `b-${id}`,
    key_id: 'k',
    model: 'm',
    name: null,
    questions: null,
    status: 'running',
  } as const;
  const counts = { input_tokens: 0, output_tokens: 0, served_at_ms: 1 };
  await db
    .insertInto('decision_batches')
    .values({ ...later, ...batch, ...counts })
    .execute();
  for (const table of ['decision_batch_inputs', 'decision_batch_results'] as const)
    await db
      .insertInto(table)
      .values(many(40, (at) => ({ batch_id: batch.id, first_line: at, lines: 1, content: '{}' })))
      .execute();
  await db
    .insertInto('receipts')
    .values({ ...later, id: `c-${id}`, receipt: '{}' })
    .execute();
  await fillRuns(database, id);
  await fillIndex(database, id);
}

async function fillRuns({ db }: Database, id: string): Promise<void> {
  const times = { created_at_ms: 1, expires_at_ms: 9 };
  const run = { id: `r-${id}`, account_id: id, is_stored: 1, previous_id: null, input: '', response: '{}' };
  await db
    .insertInto('responses')
    .values({ ...run, ...times, status: 'in_progress' })
    .execute();
  const of = { response_id: run.id };
  await db
    .insertInto('response_events')
    .values({ ...of, first_sequence: 0, lines: '[]', expires_at_ms: 9 })
    .execute();
  await db
    .insertInto('response_items')
    .values({ ...of, id: `i-${id}`, item: '{}' })
    .execute();
  const file = { position: 0, filename: 'a', bytes: 1, content: '', created_at_ms: 1 };
  await db
    .insertInto('response_files')
    .values({ ...of, ...file, id: `f-${id}` })
    .execute();
  const conversation = { id: `c-${id}`, account_id: id, metadata: '{}' };
  await db
    .insertInto('conversations')
    .values({ ...conversation, ...times })
    .execute();
  await db
    .insertInto('conversation_items')
    .values({ conversation_id: conversation.id, id: 'i', item: '{}' })
    .execute();
}

async function fillIndex({ db }: Database, id: string): Promise<void> {
  const source = { id: `s-${id}`, kind: 'web', location: 'http://own/', options: '{}', everyMs: null };
  await new CorpusSources(db).ensure({ ...source, addedAtMs: 1, accountId: id });
  await new Corpus(db).put([
    documentOf('http://own/1', `What ${id} wrote about ${id}`, { sourceId: source.id, title: id }),
  ]);
  const of = { source_id: source.id, url: 'http://own/2' };
  await db
    .insertInto('corpus_frontier')
    .values({ ...of, depth: 1 })
    .execute();
  await db
    .insertInto('corpus_attempts')
    .values({ ...of, times: 1 })
    .execute();
  const text = { id: `t-${id}`, account_id: id, url: 'nestor:document/1', title: id, text: id };
  await db
    .insertInto('index_texts')
    .values({ ...text, language: null, date: null, written_at_ms: 1 })
    .execute();
}

/** All rows of all tables that have columns of their own, as text, in an order. */
async function rowsOf({ db }: Database): Promise<ReadonlyMap<string, readonly string[]>> {
  const tables = await db.introspection.getTables();
  const found = new Map<string, readonly string[]>();
  for (const { name } of tables) {
    // The inside of the index of words on SQLite, which `wordsOf` asks, and the numbers of documents that changed, also by going.
    if (/^corpus_(?:titles|texts|changes)/.test(name)) continue;
    const { rows } = await sql<object>`select * from ${sql.table(name)}`.execute(db);
    // A closed account is still a row, which its own test looks at.
    const shown =
      name === 'accounts' ? rows.filter((row) => !('closed_at_ms' in row && row.closed_at_ms)) : rows;
    found.set(name, shown.map((row) => JSON.stringify(row)).toSorted());
  }
  return found;
}

/** Of two accounts, those whose words the index still has. */
async function wordsOf({ db, store }: Database): Promise<readonly string[]> {
  if (store === 'postgres') return ['other'];
  const { rows } = await sql<{ n: number }>`select
    (select count(*) from corpus_titles) + (select count(*) from corpus_texts) as n`.execute(db);
  return rows[0]?.n === 2 ? ['other'] : ['acme', 'other'];
}

async function countOf({ db }: Database, table: 'deciders' | 'usage'): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db);
  return Number(rows[0]?.n);
}
