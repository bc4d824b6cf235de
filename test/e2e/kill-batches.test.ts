import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { createBatches, resultsOf, untilOver } from '../support/batches.ts';
import { roundsOf } from '../support/rounds.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { poll } from '../support/until.ts';
import { spawnServer } from './server-process.ts';

const kills = roundsOf(1, 10);
const rows = roundsOf(3_000, 100_000);
const key = 'test-root-key-0123456789';
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
