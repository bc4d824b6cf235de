import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { JobPool } from './job-pool.ts';
import { JobError } from './job-thread.ts';
import { JointJobs, type JointJobsOptions } from './joint-jobs.ts';

interface Told {
  readonly job: string;
}

type Options = Partial<JointJobsOptions<string, string, Told, string>>;

const { signal } = new AbortController();

/** Items are words, and a job is its words; the value of a word is itself. */
function open(t: TestContext, { threads = 1, ...options }: Options & { readonly threads?: number } = {}) {
  const pool = new JobPool<string, Told>({
    workerUrl: new URL('./job-thread.fixture.ts', import.meta.url),
    name: 'test',
    timeoutMs: 600_000,
    threads,
    isSoonOver: true,
    waitingMax: 64,
    idleMs: 60_000,
    heapMb: 64,
  });
  t.after(() => pool.close());
  const jobs: string[] = [];
  const joint = new JointJobs<string, string, Told, string>({
    pool,
    toJob(items) {
      const job = items.join(' ');
      jobs.push(job);
      return job;
    },
    toValues: ({ job }) => job.split(' '),
    sizeOf: (item) => item.length,
    sizeMax: 8,
    callsMax: 16,
    ...options,
  });
  return { pool, joint, jobs };
}

const isFor = (reason: string) => (error: unknown) => error instanceof JobError && error.reason === reason;

suite('jobs of several calls', () => {
  test('what comes while a job is under way shares the next, and each call gets its own values', async (t) => {
    const { joint, jobs } = open(t);
    const calls = [['a'], ['b', 'c'], ['d'], []].map((items) => joint.run(items, signal, 'x'));
    assert.deepEqual(await Promise.all(calls), [['a'], ['b', 'c'], ['d'], []]);
    assert.deepEqual(jobs, ['a b c d']);
    const first = joint.run(['e'], signal, 'x');
    await new Promise((resolve) => setImmediate(resolve));
    const second = joint.run(['f'], signal, 'x');
    const third = joint.run(['g'], signal, 'x');
    await Promise.all([first, second, third]);
    assert.deepEqual(jobs.slice(1), ['e', 'f g']);
  });

  test('a job has a size, of which a larger item has its own, and one kind; kinds take turns', async (t) => {
    const { joint, jobs } = open(t, { kindOf: (item) => item.length });
    const items = ['a', 'long-one', 'b', 'longest-of-all', 'c', 'long-two', 'd'];
    const more = Array.from({ length: 8 }, (_, at) => String(at));
    const all = await joint.run([...items, ...more], signal, 'x');
    assert.deepEqual(all, [...items, ...more]);
    assert.deepEqual(jobs, ['a b c d 0 1 2 3', 'long-one', 'longest-of-all', '4 5 6 7', 'long-two']);
  });

  test('an account may have several at a time, and another has the next turn all the same', async (t) => {
    const { joint, jobs } = open(t, { threads: 2, jobsMax: 2, sizeMax: 2 });
    const all = Array.from({ length: 9 }, (_, at) => `a${at}`);
    const many = joint.run(all, signal, 'a');
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(jobs, ['a0', 'a1'], 'both threads are his');
    assert.deepEqual(await joint.run(['b1'], signal, 'b'), ['b1']);
    assert.ok(jobs.indexOf('b1') <= 4, String(jobs));
    assert.deepEqual(await many, all);
    // What fits into one job needs no second thread.
    assert.deepEqual(await joint.run(['c', 'd'], signal, 'a'), ['c', 'd']);
    assert.equal(jobs.at(-1), 'c d');
  });

  test('accounts take turns after each job', async (t) => {
    const { joint, jobs } = open(t, { sizeMax: 1 });
    await Promise.all([joint.run(['a1', 'a2', 'a3'], signal, 'a'), joint.run(['b1', 'b2'], signal, 'b')]);
    assert.deepEqual(jobs, ['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  test('a call that is given up is not done, and others go on', async (t) => {
    const { joint, jobs } = open(t);
    const stop = new AbortController();
    const first = joint.run(['a'], signal, 'x');
    await new Promise((resolve) => setImmediate(resolve));
    const dropped = joint.run(['b'], stop.signal, 'x');
    const kept = joint.run(['c'], signal, 'x');
    stop.abort(new Error('gone'));
    await assert.rejects(dropped, /gone/);
    assert.deepEqual(await Promise.all([first, kept]), [['a'], ['c']]);
    assert.deepEqual(jobs, ['a', 'c']);
    await assert.rejects(joint.run(['d'], stop.signal, 'x'), /gone/);
  });

  test('a job that fails fails its own calls', async (t) => {
    const { joint } = open(t, { sizeMax: 1 });
    const failed = joint.run(['a', 'throw'], signal, 'x');
    const other = joint.run(['b'], signal, 'x');
    await assert.rejects(failed, isFor('failed'));
    assert.deepEqual(await other, ['b']);
  });

  test('an account has half of the calls, and nothing is done once the threads are closed', async (t) => {
    const { pool, joint } = open(t, { callsMax: 4 });
    const endless = [1, 2].map(() => assert.rejects(joint.run(['forever'], signal, 'a'), isFor('closed')));
    await assert.rejects(joint.run(['x'], signal, 'a'), isFor('busy'));
    const other = assert.rejects(joint.run(['y'], signal, 'b'), isFor('closed'));
    await pool.close();
    await Promise.all([...endless, other]);
    await assert.rejects(joint.run(['z'], signal, 'b'), isFor('closed'));
  });
});
