import assert from 'node:assert/strict';
import { PassThrough, Readable, Writable } from 'node:stream';
import { suite, test, type TestContext } from 'node:test';

import { sql } from 'kysely';

import { hashSecret } from '../../src/kernel/kit/ids.ts';
import { createAccounts } from '../../src/features/accounts/store/accounts.ts';
import { CorpusSources } from '../../src/features/index/store/sources.ts';
import { IndexTexts } from '../../src/features/index/store/texts.ts';
import { openDatabase, type Database } from '../../src/kernel/store/database.ts';
import { createJobs } from '../../src/features/jobs/store/jobs.ts';
import { createKeys } from '../../src/features/accounts/store/keys.ts';
import { schemaVersion } from '../../src/kernel/store/migrate.ts';
import { migrations } from '../../src/kernel/store/migrations/index.ts';
import { createPurchases } from '../../src/features/accounts/store/purchases.ts';
import { exportDatabase, importDatabase } from '../../src/kernel/store/transfer.ts';
import { createConversations } from '../../src/features/agent/store/conversations.ts';
import { createResponses } from '../../src/features/agent/store/responses.ts';
import { createBatches } from '../../src/features/decisions/store/batches.ts';
import { createDeciderStore } from '../../src/features/decisions/store/deciders.ts';
import { createReceiptStore } from '../../src/features/verification/store/receipts.ts';
import { createExampleStore } from '../../src/features/decisions/store/examples.ts';
import { createFitStore } from '../../src/features/decisions/store/fits.ts';
import { createSkills } from '../../src/features/skills/store.ts';
import { createUsage } from '../../src/features/accounts/store/usage.ts';
import { postgresSkipReason, sharePostgres } from '../support/postgres.ts';
import { usageRow } from './suite-metering.ts';
import { temporaryFolder } from './temporary.ts';

const secret = 'svc-secret-that-is-nowhere';

/** What `fill` makes of three rows of usage. */
const madeRows = {
  accounts: 4,
  keys: 4,
  credit_purchases: 4,
  usage: 3,
  usage_days: 2,
  jobs: 2,
  corpus_sources: 0,
  skills: 1,
  skill_revisions: 1,
  deciders: 1,
  decider_examples: 2,
  decider_fits: 1,
  decision_batches: 1,
  decision_batch_inputs: 1,
  decision_batch_results: 0,
  conversations: 1,
  conversation_items: 1,
  receipts: 1,
  index_texts: 1,
  responses: 1,
  response_items: 1,
  response_files: 1,
};

async function open(context: TestContext, url = 'sqlite::memory:'): Promise<Database> {
  const database = await openDatabase(url, { dataFolder: '/nowhere', isBulk: true });
  context.after(() => database.close());
  return database;
}

async function fill({ db }: Database, rows: number): Promise<void> {
  for (const id of ['acme', 'Ångström', 'a_b', 'Zeta']) {
    await createAccounts(db).ensure({
      id,
      name: `"${id}" 'é' \u{1F600}\n`,
      createdAtMs: 1,
      creditsPurchasedUsd: 0.1,
    });
    const key = {
      hash: hashSecret(`${secret}${id}`),
      accountId: id,
      kind: 'token',
      name: null,
      last4: 'here',
    } as const;
    await createKeys(db).insertIfAbsent({ ...key, createdAtMs: 7 });
    await createPurchases(db).add({
      id: `p ${id}`,
      accountId: id,
      amountUsd: 0.7,
      note: '\u{2028}',
      createdAtMs: 9,
    });
  }
  await createKeys(db).revoke(hashSecret(`${secret}acme`), 99);
  const ledger = Array.from({ length: rows }, (_, n) =>
    usageRow(`${n % 2 === 0 ? 'r' : 'R'}${n}`, {
      costUsd: Math.random() / 3 ** (n % 40),
      durationMs: Math.random() * 1e4,
      otherUnits: n % 3 === 0 ? { searches: n } : null,
      model: n % 5 === 0 ? null : 'svc/one',
    }),
  );
  await createUsage(db).insertBatch(ledger);
  const revision = {
    id: 'rev_1',
    name: 'a',
    description: 'x',
    extra: '{}',
    bundle: Buffer.from('zip'),
    createdAtMs: 3,
  };
  await createSkills(db).create({ id: 's', accountId: 'acme', createdAtMs: 3, updatedAtMs: 3 }, revision, 5);
  const jobs = createJobs(db);
  for (const id of ['one', 'two']) {
    const job = { id, accountId: 'acme', keyId: 'k', model: 'svc', request: '{"é":1}', requestHash: 'h' };
    await jobs.create({ ...job, idempotencyKey: id, createdAtMs: 11 }, 0);
  }
  const decider = { name: 'careful', definition: '{"é":1}', revision: 'r', updatedAtMs: 7 };
  await createDeciderStore(db).put('acme', decider, () => {});
  const ofCareful = { accountId: 'acme', decider: 'careful' };
  const examples = [
    { id: 'ex_1', example: '{"state":"é"}' },
    { id: 'ex_2', example: '{}' },
  ];
  const proof = {
    id: 'rcpt_1',
    accountId: 'default',
    receipt: '{"text":"é"}',
    createdAtMs: 8,
    expiresAtMs: 9,
  };
  await createReceiptStore(db).add([proof], 9);
  await new IndexTexts(db).put(
    { id: 'doc_1', accountId: 'acct-1', url: 'nestor:document/doc_1', title: 'Returns', text: 'Shelf seven. '.repeat(200), language: 'en', date: null, writtenAtMs: 8 }, // prettier-ignore
    [],
  );
  await createExampleStore(db).add(ofCareful, examples, 8, { rowsMax: 9, bytesMax: 99 });
  const fits = createFitStore(db);
  const lease = { owner: 'p', leaseMs: 60_000 };
  await fits.begin({ ...ofCareful, id: 'fit', createdAtMs: 9 }, lease, { takenMax: 5, othersMax: 5 });
  const end = {
    state: 'taken',
    heads: '[]',
    report: '{}',
    error: null,
    learnedTo: 2,
    endedAtMs: 10,
  } as const;
  await fits.end(ofCareful, 'fit', end, null);
  const batches = createBatches(db);
  const batch = {
    id: 'batch_1',
    accountId: 'acme',
    keyId: 'k',
    model: 'svc',
    name: 'é.jsonl',
    questions: null,
  };
  await batches.receive({ ...batch, createdAtMs: 5, expiresAtMs: 9 });
  await batches.add('batch_1', { firstLine: 1, lines: 1, content: '{"state":"é"}' }, lease);
  const item = { id: 'msg_1', item: '{"é":1}' };
  const conversation = { id: 'conv_1', metadata: '{}', createdAtMs: 5 };
  await createConversations(db).insert(conversation, 'acme', 9, [item]);
  await fillResponses(db);
}

async function fillResponses(db: Database['db']): Promise<void> {
  const responses = createResponses(db);
  const response = { id: 'resp_1', accountId: 'acme', isStored: true, previousId: null, input: '"é"' };
  const times = { createdAtMs: 5, expiresAtMs: 9 };
  await responses.insert({ ...response, ...times, response: '{}' }, { owner: 'o', leaseMs: 1 });
  await responses.end({
    id: 'resp_1',
    status: 'completed',
    response: '{"output":[]}',
    lastSequence: 1,
    endedAtMs: 6,
    expiresAtMs: 9,
    eventsExpireAtMs: 8,
    events: [{ id: 'resp_1', firstSequence: 0, lines: '[]' }],
    items: [{ id: 'msg_1', item: '{}' }],
    files: [{ id: 'file_1', filename: 'a b', bytes: Buffer.from([0, 255]) }],
    replaces: null,
  });
}

async function exportText({ db }: Database): Promise<string> {
  let text = '';
  const output = new Writable({
    highWaterMark: 1_024,
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      setImmediate(done);
    },
  });
  await exportDatabase(db, output);
  return text;
}

/** Everything in every table, in an order that does not depend on the store. */
async function contentOf({ db }: Database): Promise<string[]> {
  const lines: string[] = [];
  for (const table of [
    'accounts',
    'keys',
    'credit_purchases',
    'usage',
    'usage_days',
    'jobs',
    'skills',
    'skill_revisions',
    'deciders',
    'decider_examples',
    'decider_fits',
    'decision_batches',
    'decision_batch_inputs',
    'decision_batch_results',
    'conversations',
    'conversation_items',
    'receipts',
    'index_texts',
    'responses',
    'response_items',
    'response_files',
  ]) {
    const { rows } = await sql<object>`select * from ${sql.table(table)}`.execute(db);
    lines.push(...rows.map((row) => `${table} ${JSON.stringify(row)}`));
  }
  return lines.toSorted();
}

function inPieces(text: string): Readable {
  const bytes = Buffer.from(text);
  // Uneven, so that characters and lines are cut.
  return Readable.from(
    Array.from({ length: Math.ceil(bytes.length / 777) }, (_, n) => bytes.subarray(n * 777, (n + 1) * 777)),
  );
}

test('an export has a header with the numbers of rows, and no secret', async (context) => {
  const database = await open(context);
  await fill(database, 3);
  const text = await exportText(database);
  const [header = ''] = text.split('\n');
  assert.deepEqual(JSON.parse(header), {
    format: 'nestor-export',
    version: 1,
    schema: schemaVersion(migrations),
    rows: madeRows,
  });
  assert.equal(text.split('\n').length, 1 + 34 + 1);
  assert.ok(!text.includes('secret'));
});

test('sources of the index travel, and count as unread where their documents are not', async (context) => {
  const first = await open(context);
  const sources = new CorpusSources(first.db);
  const source = { kind: 'folder', options: '{}', everyMs: 60_000, addedAtMs: 5 };
  await sources.ensure({ ...source, id: 'a', location: '/a' });
  await sources.begin('a', 7, 0);
  await sources.finish('a', 9, '{"added":1}');
  await sources.begin('a', 11, 0);
  const second = await open(context);
  await importDatabase(second.db, inPieces(await exportText(first)));
  const [row] = await new CorpusSources(second.db).list();
  assert.deepEqual(row, { ...source, id: 'a', location: '/a', accountId: '', begunAtMs: null, refreshedAtMs: null, dueAtMs: 60_009, outcome: null, setAside: null }); // prettier-ignore
});

test('what is no export is refused with the number of the line, and nothing is kept', async (context) => {
  const source = await open(context);
  await fill(source, 5);
  const text = await exportText(source);
  const lines = text.split('\n');
  const cases: readonly [string, RegExp][] = [
    ['', /first line is not|line 1 is not JSON/],
    ['{}\n', /header of an export/],
    [text.replace('"version":1', '"version":2'), /newer format/],
    [text.replace(schemaVersion(migrations), '0001-accounts'), /has schema 0001-accounts/],
    [lines.with(3, 'secret').join('\n'), /^import: line 4 is not JSON$/],
    [lines.with(3, '["sqlite_schema",{}]').join('\n'), /line 4 is not a row/],
    [lines.toSpliced(-2, 1).join('\n'), /response_files has 0 rows, the header says 1/],
    [[...lines.slice(0, -2), lines[5], ''].join('\n'), /refused|rows/],
    [text.replace('"name":', '"nome":'), /is refused: /],
  ];
  for (const [input, message] of cases) {
    const target = await open(context);
    await assert.rejects(importDatabase(target.db, Readable.from([input])), (error) => {
      assert.ok(error instanceof Error);
      assert.match(error.message, message);
      return error.message.startsWith('import: ') && !error.message.includes('\n');
    });
    assert.deepEqual(await contentOf(target), []);
  }
});

test('a store that is not empty takes no import', async (context) => {
  const database = await open(context);
  await fill(database, 2);
  const text = await exportText(database);
  await assert.rejects(importDatabase(database.db, inPieces(text)), /^Error: import: the store is not empty/);
});

test('an export sees one state and keeps nobody else from writing', async (context) => {
  const url = `sqlite:${temporaryFolder(context)}/x.db`;
  const database = await open(context, url);
  const other = await open(context, url);
  await fill(database, 2_000);
  const output = new PassThrough({ highWaterMark: 1_024 });
  const exported = exportDatabase(database.db, output);
  const chunks: string[] = [];
  for await (const chunk of output) {
    chunks.push(String(chunk));
    const n = chunks.length;
    if (n === 2) await createUsage(other.db).insertBatch([usageRow('meanwhile'), usageRow('0')]);
    if (chunks.join('').split('\n').length > 2_032) break;
  }
  assert.equal((await exported).usage, 2_000);
  assert.ok(!chunks.join('').includes('meanwhile'));
});

suite('between the stores', { skip: postgresSkipReason() }, () => {
  test('SQLite to PostgreSQL to SQLite gives identical rows', async (context) => {
    const server = await sharePostgres();
    context.after(() => server.close());
    const first = await open(context);
    await fill(first, 2_345);
    const content = await contentOf(first);
    assert.equal(content.length, 2_345 + 31);
    const second = await open(context, await server.createDatabase());
    const counts = await importDatabase(second.db, inPieces(await exportText(first)));
    assert.deepEqual(counts, { ...madeRows, usage: 2_345 });
    assert.deepEqual(await contentOf(second), content);
    const third = await open(context);
    await importDatabase(third.db, inPieces(await exportText(second)));
    assert.deepEqual(await contentOf(third), content);
  });
});
