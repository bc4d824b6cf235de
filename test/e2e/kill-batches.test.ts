import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { createBatches, resultsOf, untilOver } from '../support/batches.ts';
import { postgresSkipReason, sharePostgres } from '../support/postgres.ts';
import { isLongRun, longTest, roundsOf } from '../support/rounds.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { poll } from '../support/until.ts';
import { inspected, openLiveMemory } from './live-memory.ts';
import { residentMiB, spawnServer } from './server-process.ts';

const kills = roundsOf(1, 10);
/** Enough that each kill comes amid them, however many there are. */
const rows = isLongRun ? 100_000 : 3_000 * kills;
const key = 'test-root-key-0123456789';
const entry = fileURLToPath(new URL('../../bin/nestor.mjs', import.meta.url));
const env = {
  NESTOR_ROOT_KEY: key,
  NESTOR_DECISIONS_ENGINE: 'words',
  NESTOR_DETECT: 'false',
  NESTOR_SANDBOX_RUNNER: 'off',
  NESTOR_RATE_LIMITS_ENABLED: 'false',
};

suite('a batch, killed', () => {
  test(`${kills} times: each of ${rows} rows has one result and is billed once`, async (t) => {
    const folder = await temporaryFolder(t);
    const text = Array.from({ length: rows }, (_, at) =>
      JSON.stringify({ id: at, state: `Order ${at} is late` }),
    );
    let server = await spawnServer(folder, env);
    t.after(() => server.end('SIGKILL'));
    const questions = { late: { type: 'noul', instructions: 'Is it late?' } };
    const model = 'svc-decider-v1-27b';
    const made = await createBatches({ url: server.url, key }).upload({ model, questions }, text.join('\n'));
    const doneOf = (batch: Readonly<Record<string, unknown>>) =>
      (batch['rows'] as { readonly answered: number }).answered;
    let killedWithin = 0;
    for (let kill = 1; kill <= kills; kill++) {
      const batches = createBatches({ url: server.url, key });
      const wanted = (rows * kill) / (kills + 2);
      const seen = await poll(
        () => batches.find(made.id),
        (batch) => doneOf(batch) >= wanted,
      );
      if (seen['status'] === 'running') killedWithin++;
      await server.end('SIGKILL');
      server = await spawnServer(folder, env);
    }
    assert.equal(killedWithin, kills);
    const batches = createBatches({ url: server.url, key });
    const over = await untilOver(batches, made.id);
    assert.deepEqual(over['rows'], { total: rows, answered: rows, failed: 0, left: 0 });
    const results = (await resultsOf(batches, made.id)).text.trimEnd().split('\n');
    const ids = results.map((line) => (JSON.parse(line) as { readonly id: number }).id);
    assert.deepEqual(ids, [...text.keys()]);
    assert.equal(await server.end('SIGTERM'), 0);
    const database = await openDatabase('sqlite', { dataFolder: folder });
    const billed = await database.db
      .selectFrom('usage')
      .select('id')
      .where('operation', '=', 'createDecisionBatch')
      .execute();
    await database.close();
    assert.equal(billed.length, rows);
    assert.equal(new Set(billed.map(({ id }) => id)).size, rows);
  });
});

const memoryRows = 100_000;
const samples = 20;
/**
 * What half of the looks in the second half may see more than the first half did at its most. A piece is 256 rows; what would
 * stay of each row, its result of 80 bytes alone, would be 4 MiB over 50,000 as text and several times that as objects. Live is
 * what all threads reach (69 to 72 MiB were seen, by what is under way); of what the process holds 24 MiB came and went.
 */
const growthMiB = { live: 2, held: 8 };

suite('a batch', () => {
  longTest(`of ${memoryRows} rows takes no more memory with each, looked at by rows answered`, async (t) => {
    const server = await spawnServer(await temporaryFolder(t), { ...env, ...inspected });
    t.after(() => server.end('SIGKILL'));
    await using memory = await openLiveMemory(server);
    const batches = createBatches({ url: server.url, key });
    const text = Array.from({ length: memoryRows }, (_, at) =>
      JSON.stringify({ id: at, state: `Order ${at} came broken, and I would like my money back` }),
    );
    const questions = { late: { type: 'noul', instructions: 'Is it late?' } };
    const made = await batches.upload({ model: 'svc-decider-v1-27b', questions }, text.join('\n'));
    const seen = { live: [] as number[], held: [] as number[] };
    for (let sample = 1; sample <= samples; sample++) {
      await poll(
        () => batches.find(made.id),
        (batch) =>
          (batch['rows'] as { readonly answered: number }).answered >= (memoryRows * sample) / samples,
      );
      seen.live.push(await memory.measure());
      seen.held.push(residentMiB(server.pid) ?? assert.fail('the system does not tell'));
    }
    for (const what of ['live', 'held'] as const) {
      const told = `${what} MiB after each ${memoryRows / samples} rows: ${seen[what].map(Math.round).join(' ')}`;
      t.diagnostic(told);
      const most = Math.max(...seen[what].slice(0, samples / 2));
      const later = seen[what].slice(samples / 2).toSorted((a, b) => a - b);
      assert.ok((later[samples / 4] ?? Infinity) <= most + growthMiB[what], told);
    }
  });

  const skip = isLongRun ? postgresSkipReason() : 'in the long run';
  test(
    'whose server is killed on PostgreSQL goes on in a worker: each row has one result and is billed once',
    { skip },
    async (t) => {
      const sent = 3_000;
      const postgres = await sharePostgres();
      t.after(() => postgres.close());
      const store = await postgres.createStore('without docs');
      const folder = await temporaryFolder(t);
      const shared = { ...env, NESTOR_DATABASE_URL: store };
      const server = await spawnServer(folder, shared);
      t.after(() => server.end('SIGKILL'));
      const text = Array.from({ length: sent }, (_, id) =>
        JSON.stringify({ id, state: `Order ${id} is late` }),
      );
      const batches = createBatches({ url: server.url, key });
      const questions = { late: { type: 'noul', instructions: 'Is it late?' } };
      const { id } = await batches.upload({ model: 'svc-decider-v1-27b', questions }, text.join('\n'));
      const database = await openDatabase(store, { dataFolder: folder });
      t.after(() => database.close());
      const find = () =>
        database.db
          .selectFrom('decision_batches')
          .select(['status', 'answered', 'failed'])
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
      await poll(find, ({ answered }) => answered > 0);
      await server.end('SIGKILL');
      const left = await find();
      assert.ok(
        left.status === 'running' && left.answered < sent,
        `${left.answered} were answered at the kill`,
      );
      const worker = spawn(process.execPath, [entry, 'worker', '--json'], {
        env: { PATH: process.env['PATH'] ?? '', NESTOR_DATA: folder, ...shared },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const exited = once(worker, 'exit');
      t.after(() => void worker.kill('SIGKILL'));
      await once(worker.stdout, 'data');
      // The pieces that the server held are free when its leases are over.
      const over = await poll(find, ({ status }) => status !== 'running');
      assert.deepEqual(over, { status: 'completed', answered: sent, failed: 0 });
      worker.kill('SIGTERM');
      assert.deepEqual(await exited, [0, null]);
      const pieces = await database.db
        .selectFrom('decision_batch_results')
        .select('content')
        .where('batch_id', '=', id)
        .orderBy('first_line')
        .execute();
      const results = pieces.flatMap(({ content }) => content.trimEnd().split('\n'));
      const ids = results.map((line) => (JSON.parse(line) as { readonly id: number }).id);
      assert.deepEqual(ids, [...text.keys()]);
      const billed = await database.db
        .selectFrom('usage')
        .select('id')
        .where('operation', '=', 'createDecisionBatch')
        .execute();
      assert.deepEqual([billed.length, new Set(billed.map((row) => row.id)).size], [sent, sent]);
    },
  );
});
