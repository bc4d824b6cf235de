import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';

import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { turnTimers } from '../../../test/support/timers.ts';
import { until } from '../../../test/support/until.ts';
import { JobError, JobThread, type JobThreadOptions } from './job-thread.ts';

interface Told {
  readonly job: string;
  readonly given: unknown;
  readonly threadId: number;
  readonly variables: readonly string[];
}

const { signal } = new AbortController();

const defaults: JobThreadOptions = {
  workerUrl: new URL('./job-thread.fixture.ts', import.meta.url),
  name: 'test',
  workerData: 'given',
  timeoutMs: 60_000,
  jobsMax: 4,
  idleMs: 60_000,
  heapMb: 64,
};
/** Ends a process that hangs. */
const hangMs = 120_000;
const runFile = promisify(execFile);

function open(t: TestContext, options: Partial<JobThreadOptions> = {}): JobThread<string, Told> {
  const thread = new JobThread<string, Told>({ ...defaults, ...options });
  t.after(() => thread.close());
  return thread;
}

function isFor(reason: string): (error: unknown) => boolean {
  return (error) => error instanceof JobError && error.reason === reason;
}

suite('a thread for jobs', () => {
  test('jobs are done in their order by one thread, which has what it was given', async (t) => {
    const thread = open(t);
    const done = await Promise.all(['a', 'b', 'c'].map((job) => thread.run(job, signal)));
    assert.deepEqual(
      done.map(({ job, given }) => [job, given]),
      [['a', 'given'], ['b', 'given'], ['c', 'given']], // prettier-ignore
    );
    assert.equal(new Set(done.map(({ threadId }) => threadId)).size, 1);
  });

  test('of the environment it has the compile cache alone, where this process has one', async (t) => {
    const { variables } = await open(t).run('a', signal);
    assert.deepEqual(variables, getCompileCacheDir() === undefined ? [] : ['NODE_COMPILE_CACHE']);
  });

  test('an idle thread keeps no process, and what it says is nowhere', async (t) => {
    const file = join(await temporaryFolder(t), 'main.mjs');
    const options = JSON.stringify({ ...defaults, idleMs: 2 ** 31 - 1 });
    await writeFile(
      file,
      `import { JobThread } from ${JSON.stringify(new URL('./job-thread.ts', import.meta.url))};
      const workerUrl = new URL(${JSON.stringify(defaults.workerUrl)});
      const thread = new JobThread({ ...${options}, workerUrl });
      const { signal } = new AbortController();
      await thread.run('talk', signal);
      console.log((await thread.run('a', signal)).job);`,
    );
    const { stdout, stderr } = await runFile(process.execPath, [file], { timeout: hangMs });
    assert.deepEqual([stdout, stderr], ['a\n', '']);
  });

  test('a job that throws fails alone, with its message', async (t) => {
    const thread = open(t);
    const [first, second] = await Promise.allSettled([thread.run('throw', signal), thread.run('b', signal)]);
    assert.ok(first.status === 'rejected' && isFor('failed')(first.reason));
    assert.match(String(first.reason), /no such job/);
    assert.ok(second.status === 'fulfilled');
  });

  test('a thread that dies fails its job, and the next one has a new thread', async (t) => {
    const thread = open(t);
    const before = await thread.run('a', signal);
    await assert.rejects(thread.run('exit', signal), isFor('died'));
    const after = await thread.run('b', signal);
    assert.notEqual(after.threadId, before.threadId);
  });

  test('a job that computes for longer than its timeout is ended, and the next one has a new thread', async (t) => {
    const thread = open(t, { timeoutMs: 50 });
    const [endless, next] = await Promise.allSettled([
      thread.run('forever', signal),
      thread.run('b', signal),
    ]);
    assert.ok(endless.status === 'rejected' && isFor('timeout')(endless.reason));
    assert.ok(next.status === 'fulfilled');
  });

  test('a job whose thread is kept waiting has its timeout in CPU, and an end on the clock all the same', async (t) => {
    const { tick, wasSet } = turnTimers(t);
    const starved = open(t, { timeoutMs: 3_000 });
    const job = starved.run('starved', signal);
    await until(() => wasSet(3_000), 'the thread does not begin with its job');
    tick(3_000);
    assert.equal((await job).job, 'starved');

    const stuck = open(t, { timeoutMs: 4_000 });
    const never = assert.rejects(stuck.run('stuck', signal), isFor('timeout'));
    await until(() => wasSet(34_000), 'the thread does not begin with its job');
    tick(34_000);
    await never;
  });

  test('a job that is given up rejects with the reason, waiting or under way', async (t) => {
    const thread = open(t);
    const aborted = new AbortController();
    const jobs = ['a', 'b'].map((job) => thread.run(job, aborted.signal));
    aborted.abort(new Error('given up'));
    for (const job of jobs) await assert.rejects(job, /given up/);
    await assert.rejects(thread.run('c', aborted.signal), /given up/);
    assert.equal((await thread.run('d', signal)).job, 'd');
  });

  test('more jobs than there may be are refused, and what was accepted is done', async (t) => {
    const thread = open(t, { jobsMax: 2 });
    const done = await Promise.allSettled(['a', 'b', 'c'].map((job) => thread.run(job, signal)));
    assert.deepEqual(
      done.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected'],
    );
    const [, , refused] = done;
    assert.ok(refused?.status === 'rejected' && isFor('busy')(refused.reason));
  });

  test('closing ends what is under way, refuses what waits and what comes', async (t) => {
    const thread = open(t);
    const jobs = Promise.allSettled(['forever', 'b'].map((job) => thread.run(job, signal)));
    await thread.close();
    for (const one of await jobs) assert.ok(one.status === 'rejected' && isFor('closed')(one.reason));
    await assert.rejects(thread.run('c', signal), isFor('closed'));
  });

  test('a thread without work is ended, and the next job starts another', async (t) => {
    const { tick } = turnTimers(t);
    const thread = open(t, { idleMs: 1 });
    const before = await thread.run('a', signal);
    tick(1);
    assert.notEqual((await thread.run('b', signal)).threadId, before.threadId);
  });
});
