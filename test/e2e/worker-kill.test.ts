import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { suite, test } from 'node:test';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { chatProvider } from '../support/chat-provider.ts';
import { isEnded, type Job } from '../support/jobs.ts';
import { postgresSkipReason, sharePostgres } from '../support/postgres.ts';
import { roundsOf } from '../support/rounds.ts';
import { startServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { pollEnd } from '../support/until.ts';

const entry = new URL('../../bin/nestor.mjs', import.meta.url).pathname;
/** NESTOR_TEST_ROUNDS=100 is the number that the guarantee is stated for; fewer keep the usual run short. */
const rounds = roundsOf(1, 5);
const path = '/async/chat/completions';

function spawnWorker(folder: string, store: string) {
  return spawn(process.execPath, [entry, 'worker'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      NESTOR_DATA: folder,
      NESTOR_DATABASE_URL: store,
      NESTOR_DETECT: 'false',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

suite('nestor worker, killed', { skip: postgresSkipReason() }, () => {
  test(`at ${rounds} random moments: every acknowledged job ends and none is billed twice`, async (t) => {
    const postgres = await sharePostgres();
    t.after(() => postgres.close());
    const store = await postgres.createStore();
    const env = { NESTOR_DATABASE_URL: store, NESTOR_ASYNC_WORKERS: '1' };
    const server = await startServer(t, { ...chatProvider(100), env });
    const folder = await temporaryFolder(t);
    const ids: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const worker = spawnWorker(folder, store);
      t.after(() => void worker.kill('SIGKILL'));
      await once(worker.stdout, 'data');
      for (let at = 0; at < 6; at++) {
        const request = {
          model: 'svc',
          messages: [{ role: 'user', content: `What is ${round} and ${at}?` }],
        };
        ids.push(((await (await server.post(path, { request })).json()) as Job).id);
      }
      await pause(Math.random() * 100);
      const exited = once(worker, 'exit');
      worker.kill('SIGKILL');
      await exited;
    }
    const headers = { authorization: `Bearer ${server.key}` };
    const read = async (id: string) =>
      (await (await fetch(`${server.url}${path}/${id}`, { headers })).json()) as Job;
    const completed: string[] = [];
    for (const id of ids) {
      const job = await pollEnd(() => read(id), isEnded, `the job ${id} does not end`);
      if (job.status === 'COMPLETED') completed.push(id);
      else assert.equal(job.error_message, 'interrupted');
    }
    const database = await openDatabase(store, { dataFolder: folder });
    const rows = await database.db.selectFrom('usage').select(['id', 'request_id']).execute();
    await database.close();
    assert.deepEqual(rows.map((row) => row.request_id).sort(), completed.sort());
    t.diagnostic(
      `${rounds} kills, ${ids.length} jobs, ${ids.length - completed.length} interrupted too often`,
    );
  });
});
