import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { suite, test, type TestContext } from 'node:test';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { isEnded, type Job } from '../support/jobs.ts';
import { postgresSkipReason, sharePostgres } from '../support/postgres.ts';
import { isLongRun, roundsOf } from '../support/rounds.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { toArguments } from '../support/typescript-process.ts';
import { pollEnd } from '../support/until.ts';

/**
 * Processes with jobs under way, killed at random moments. NESTOR_TEST_ROUNDS=100 is the number that the guarantee is
 * stated for; fewer keep the usual run short.
 */
const rounds = roundsOf(2, 12);
const jobsMax = Number(process.env['NESTOR_JOBS'] ?? (isLongRun ? 400 : 40));
const program = new URL('jobs-process.ts', import.meta.url).pathname;
const path = '/async/chat/completions';

interface JobsProcess {
  readonly url: string;
  /** Ids of jobs in the order in which this process began them. */
  readonly begun: readonly string[];
  kill(): Promise<void>;
}

async function spawnJobs(t: TestContext, store: string, folder: string, name: string): Promise<JobsProcess> {
  const child: ChildProcess = spawn(process.execPath, [...toArguments(program), store, folder, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const begun: string[] = [];
  const listening = Promise.withResolvers<string>();
  child.once('exit', (code) => listening.reject(new Error(`ended with ${String(code)}`)));
  if (child.stdout === null) throw new Error('no output');
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [word, first = ''] = line.split(' ');
    if (word === 'listening') listening.resolve(first);
    else begun.push(first);
  });
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  t.after(kill);
  return { url: await listening.promise, begun, kill };
}

const headers = { authorization: 'Bearer acme' };

/** The id of a job that was acknowledged; null when the process died before it was. */
async function create(url: string, content: string): Promise<string | null> {
  const body = JSON.stringify({ request: { model: 'svc', messages: [{ role: 'user', content }] } });
  try {
    const response = await fetch(url + path, { method: 'POST', headers, body });
    return ((await response.json()) as Job).id;
  } catch {
    return null;
  }
}

async function read(url: string, id: string): Promise<Job> {
  const response = await fetch(`${url}${path}/${id}`, { headers });
  assert.equal(response.status, 200, `the acknowledged job ${id} is there`);
  return (await response.json()) as Job;
}

async function drain(url: string, ids: Iterable<string>): Promise<Job[]> {
  const ended: Job[] = [];
  for (const id of ids) ended.push(await pollEnd(() => read(url, id), isEnded, `the job ${id} does not end`));
  return ended;
}

/** Every job that is COMPLETED has one row of the ledger, and no other has any, also those nobody was told of. */
async function assertBilledOnce(store: string, folder: string, told: readonly Job[]): Promise<void> {
  const database = await openDatabase(store, { dataFolder: folder });
  try {
    const rows = await database.db.selectFrom('usage').select(['id', 'request_id']).execute();
    const jobs = await database.db
      .selectFrom('jobs')
      .select('id')
      .where('status', '=', 'COMPLETED')
      .execute();
    assert.deepEqual(rows.map(({ id }) => id).sort(), jobs.map(({ id }) => id).sort());
    const billed = new Set(rows.map((row) => row.request_id));
    assert.equal(billed.size, rows.length);
    for (const { id, status } of told) assert.equal(billed.has(id), status === 'COMPLETED');
  } finally {
    await database.close();
  }
}

suite('a process that is killed', () => {
  test(`at ${rounds} random moments: every acknowledged job ends, none is billed twice, none begins anew`, async (t) => {
    const folder = await temporaryFolder(t);
    const ids = new Set<string>();
    const started = new Map<string, number>();
    for (let round = 0; round < rounds; round++) {
      const server = await spawnJobs(t, 'sqlite', folder, `r${round}`);
      for (const [id, startedAt] of started) {
        const job = await read(server.url, id);
        assert.notEqual(job.status, 'CREATED', 'never back to CREATED');
        assert.equal(job.started_at, startedAt, 'the start is kept');
        if (isEnded(job)) started.delete(id);
      }
      // Counted in jobs, for a slow machine acknowledges none in any time.
      const acknowledged = Promise.withResolvers<void>();
      const killedAt = ids.size + 1 + Math.floor(Math.random() * 12);
      const clients = Array.from({ length: 3 }, async (_, client) => {
        for (let at = 0; at < 8; at++) {
          const id = await create(server.url, `${round} ${client} ${at}`);
          if (id === null) return;
          ids.add(id);
          if (ids.size === killedAt) acknowledged.resolve();
        }
      });
      await Promise.race([acknowledged.promise, Promise.all(clients)]);
      await pause(Math.random() * 50);
      for (const id of [...ids].slice(-20)) {
        const job = await read(server.url, id).catch(() => null);
        if (job?.status === 'IN_PROGRESS' && job.started_at !== null) started.set(id, job.started_at);
      }
      await server.kill();
      await Promise.all(clients);
    }
    const last = await spawnJobs(t, 'sqlite', folder, 'last');
    const jobs = await drain(last.url, ids);
    await last.kill();
    assert.ok(jobs.length >= rounds, `${jobs.length} jobs`);
    for (const { status, error_message: message } of jobs)
      assert.ok(status === 'COMPLETED' || message === 'interrupted', `${status} ${message ?? ''}`);
    await assertBilledOnce('sqlite', folder, jobs);
    t.diagnostic(
      `${rounds} kills, ${jobs.length} jobs, ${jobs.filter(({ status }) => status === 'FAILED').length} interrupted too often`,
    );
  });
});

suite('two processes on one store', { skip: postgresSkipReason() }, () => {
  test('never run one job at once, and what one leaves the other ends', async (t) => {
    const postgres = await sharePostgres();
    t.after(() => postgres.close());
    const store = await postgres.createStore();
    const folder = await temporaryFolder(t);
    const one = await spawnJobs(t, store, folder, 'one');
    const two = await spawnJobs(t, store, folder, 'two');
    const created = await Promise.all(
      Array.from({ length: 60 }, (_, at) => create(at % 2 === 0 ? one.url : two.url, `n${at}`)),
    );
    const ids = created.filter((id) => id !== null);
    assert.equal(ids.length, 60);
    const jobs = await drain(two.url, ids);
    const begun = [...one.begun, ...two.begun];
    assert.deepEqual(begun.toSorted(), ids.toSorted(), 'each was begun once, by one of them');
    assert.ok(one.begun.length > 0 && two.begun.length > 0, 'both worked');
    await assertBilledOnce(store, folder, jobs);
  });
});

suite('many jobs', () => {
  test(`${jobsMax} jobs that wait are drained`, async (t) => {
    const folder = await temporaryFolder(t);
    const server = await spawnJobs(t, 'sqlite', folder, 'many');
    const ids: string[] = [];
    const lanes = Array.from({ length: 8 }, async () => {
      while (ids.length < jobsMax) {
        const id = await create(server.url, 'x');
        if (id !== null) ids.push(id);
      }
    });
    await Promise.all(lanes);
    const jobs = await drain(server.url, ids);
    assert.ok(jobs.every(({ status }) => status === 'COMPLETED'));
    await server.kill();
    await assertBilledOnce('sqlite', folder, jobs);
  });
});
