import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';

import { JobPool, type JobPoolOptions } from './job-pool.ts';
import { JobError } from './job-thread.ts';

interface Told {
  readonly job: string;
  readonly threadId: number;
}

const { signal } = new AbortController();

function open(t: TestContext, options: Partial<JobPoolOptions> = {}): JobPool<string, Told> {
  const pool = new JobPool<string, Told>({
    workerUrl: new URL('./job-thread.fixture.ts', import.meta.url),
    name: 'test',
    timeoutMs: 600_000,
    threads: 2,
    waitingMax: 64,
    idleMs: 60_000,
    heapMb: 64,
    ...options,
  });
  t.after(() => pool.close());
  return pool;
}

const isFor = (reason: string) => (error: unknown) => error instanceof JobError && error.reason === reason;

suite('threads for jobs', () => {
  test('ten jobs of one account that never end leave a thread for the job of another', async (t) => {
    const pool = open(t);
    const endless = Array.from({ length: 10 }, () =>
      assert.rejects(pool.run('forever', signal, 'a'), isFor('closed')),
    );
    assert.equal((await pool.run('x', signal, 'b')).job, 'x');
    assert.equal((await pool.run('y', signal, 'b')).job, 'y');
    await pool.close();
    await Promise.all(endless);
  });

  test('a job that was dropped holds the slot of its account until the thread is done with it', async (t) => {
    const pool = open(t);
    const stop = new AbortController();
    const dropped = pool.run('forever', stop.signal, 'a');
    await pool.run('x', signal, 'b');
    stop.abort(new Error('gone'));
    await assert.rejects(dropped, /gone/);
    const late = assert.rejects(pool.run('forever', signal, 'a'), isFor('closed'));
    assert.equal((await pool.run('y', signal, 'b')).job, 'y');
    await pool.close();
    await late;
  });

  test('jobs that are soon over may have all threads', async (t) => {
    const pool = open(t, { isSoonOver: true });
    const endless = [1, 2].map(() => assert.rejects(pool.run('forever', signal, 'a'), isFor('closed')));
    const next = assert.rejects(pool.run('x', signal, 'b'), isFor('closed'));
    await pool.close();
    await Promise.all([...endless, next]);
  });

  test('jobs of one account go to the thread that is warm', async (t) => {
    const pool = open(t);
    const threads = new Set<number>();
    for (const job of ['a', 'b', 'c']) threads.add((await pool.run(job, signal, 'a')).threadId);
    assert.equal(threads.size, 1);
  });

  test('the queue has an end, of which one account fills half', async (t) => {
    const pool = open(t, { waitingMax: 4 });
    const endless = [1, 2, 3].map(() => assert.rejects(pool.run('forever', signal, 'a'), isFor('closed')));
    await assert.rejects(pool.run('x', signal, 'a'), isFor('busy'));
    assert.equal((await pool.run('y', signal, 'b')).job, 'y');
    await pool.close();
    await Promise.all(endless);
    await assert.rejects(pool.run('z', signal, 'b'), isFor('closed'));
  });
});
