import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { createBatches } from '../support/batches.ts';
import { postgresSkipReason, startPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { poll } from '../support/until.ts';
import { spawnServer } from './server-process.ts';

const rows = 3_000;
const key = 'test-root-key-0123456789';
const entry = fileURLToPath(new URL('../../bin/nestor.mjs', import.meta.url));

suite('a batch on PostgreSQL', { skip: postgresSkipReason() }, () => {
  test('whose server is killed goes on in a worker: each row has one result and is billed once', async (t) => {
    const postgres = await startPostgres();
    t.after(() => postgres.close());
    const store = await postgres.createDatabase();
    const folder = await temporaryFolder(t);
    const env = {
      NESTOR_DATABASE_URL: store,
      NESTOR_ROOT_KEY: key,
      NESTOR_DECISIONS_ENGINE: 'words',
      NESTOR_DETECT: 'false',
      NESTOR_SANDBOX_RUNNER: 'off',
    };
    const server = await spawnServer(folder, env);
    t.after(() => server.end('SIGKILL'));
    const text = Array.from({ length: rows }, (_, id) =>
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
      left.status === 'running' && left.answered < rows,
      `${left.answered} were answered at the kill`,
    );
    const worker = spawn(process.execPath, [entry, 'worker', '--json'], {
      env: { PATH: process.env['PATH'] ?? '', NESTOR_DATA: folder, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const exited = once(worker, 'exit');
    t.after(() => void worker.kill('SIGKILL'));
    await once(worker.stdout, 'data');
    // The pieces that the server held are free when its leases are over.
    const over = await poll(find, ({ status }) => status !== 'running');
    assert.deepEqual(over, { status: 'completed', answered: rows, failed: 0 });
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
    assert.deepEqual([billed.length, new Set(billed.map((row) => row.id)).size], [rows, rows]);
  });
});
