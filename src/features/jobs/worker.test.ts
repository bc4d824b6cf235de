import assert from 'node:assert/strict';
import { once, EventEmitter } from 'node:events';
import { suite, test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { Fault } from '../../kernel/faults.ts';
import { randomIds } from '../../kernel/kit/ids.ts';
import { systemClock } from '../../kernel/kit/clock.ts';
import { openMadeStore } from '../../../test/support/made-store.ts';
import { createJobAdministration } from './store/jobs-administration.ts';
import { createJobs, type JobRow } from './store/jobs.ts';
import { createUsage } from '../accounts/store/usage.ts';
import { createManualClock } from '../../../test/support/clock.ts';
import { createJobQueue } from './queue.ts';
import { openWorkers, type JobResult, type WorkerOptions } from './worker.ts';

const weekMs = 604_800_000;

function resultOf(job: JobRow): JobResult {
  const row = { inputTokens: 1, outputTokens: 1, otherUnits: null, costUsd: 0, costParts: {}, status: 200 };
  return {
    response: JSON.stringify({ answer: job.id }),
    usage: {
      ...row,
      id: job.id,
      requestId: job.id,
      accountId: job.accountId,
      keyId: job.keyId,
      operation: 'job',
      model: job.model,
      durationMs: 1,
      createdAtMs: job.createdAtMs,
    },
  };
}

async function open(context: TestContext, over: Partial<WorkerOptions> = {}) {
  const database = await openMadeStore();
  context.after(() => database.close());
  const jobs = createJobs(database.db);
  const errors: unknown[] = [];
  const openPool = (more: Partial<WorkerOptions> = {}) => {
    const workers = openWorkers({
      jobs,
      run: async (job) => resultOf(job),
      workers: 4,
      owner: randomIds.uuid(),
      clock: systemClock,
      retentionMs: weekMs,
      giveUpAfterMs: 3_600_000,
      random: () => 0,
      isAlone: false,
      onError: (error) => errors.push(error),
      pollMs: 20,
      ...over,
      ...more,
    });
    context.after(() => workers.close());
    return workers;
  };
  const wakes = new EventEmitter();
  const queue = createJobQueue({
    jobs,
    secret: 'secret',
    retentionMs: weekMs,
    clock: systemClock,
    ids: randomIds,
    wake: () => wakes.emit('wake'),
  });
  const create = (request: unknown = {}, accountId = 'acme') =>
    queue.create({
      accountId,
      keyId: 'k',
      model: 'svc',
      request: request as never,
      idempotencyKey: null,
    });
  const ended = async (id: string, accountId = 'acme') => {
    for (;;) {
      const job = await queue.get(accountId, id);
      if (job === null || job.status === 'COMPLETED' || job.status === 'FAILED') return job;
      await pause(5);
    }
  };
  return { database, jobs, queue, create, ended, openPool, errors, wakes };
}

test('every job runs once, however many pools there are, and is billed once', async (context) => {
  const { database, create, ended, openPool } = await open(context);
  const runs: string[] = [];
  const run: WorkerOptions['run'] = async (job) => {
    runs.push(job.id);
    await pause(1);
    return resultOf(job);
  };
  const made = await Promise.all(Array.from({ length: 40 }, (_, index) => create({ index })));
  for (let pool = 0; pool < 3; pool++) openPool({ run });
  const jobs = await Promise.all(made.map(({ id }) => ended(id)));
  assert.ok(jobs.every((job) => job?.status === 'COMPLETED' && job.response === `{"answer":"${job.id}"}`));
  assert.equal(runs.length, 40);
  assert.equal(new Set(runs).size, 40);
  assert.equal((await createUsage(database.db).page({})).length, 40);
});

test('a clock far ahead deletes no job at the start', async (context) => {
  const { create, ended, openPool } = await open(context);
  const before = openPool();
  const old = await create();
  await ended(old.id);
  await before.close();
  const year = 365 * 86_400_000;
  openPool({ clock: { now: () => systemClock.now() + year, monotonic: () => systemClock.monotonic() } });
  // Whatever a start does is done when the first job of it has ended.
  await ended((await create()).id);
  assert.equal((await ended(old.id))?.status, 'COMPLETED');
});

test('no more run at once than there are workers', async (context) => {
  const { create, ended, openPool } = await open(context);
  let now = 0;
  let most = 0;
  openPool({
    workers: 3,
    async run(job) {
      most = Math.max(most, ++now);
      await pause(3);
      now--;
      return resultOf(job);
    },
  });
  const accounts = ['acme', 'other'];
  const made = await Promise.all(
    accounts.flatMap((account) => Array.from({ length: 12 }, () => create({}, account))),
  );
  await Promise.all(made.map(({ id, accountId }) => ended(id, accountId)));
  assert.equal(most, 3);
});

test('a job of another account begins at once beside 200 jobs of one that do not end', async (context) => {
  const { create, ended, openPool } = await open(context);
  const begun: string[] = [];
  await Promise.all(Array.from({ length: 200 }, () => create()));
  const pool = openPool({
    async run(job, signal) {
      begun.push(job.accountId);
      if (job.accountId === 'acme') await once(signal, 'abort');
      return resultOf(job);
    },
  });
  const other = await create({}, 'other');
  pool.wake();
  assert.equal((await ended(other.id, 'other'))?.status, 'COMPLETED');
  assert.deepEqual(begun, ['acme', 'acme', 'other']);
});

test('a fault is told, any other failure is not', async (context) => {
  const { create, ended, openPool, errors } = await open(context);
  openPool({
    run(job) {
      if (job.request.includes('fault')) throw new Fault('bad_gateway', 'The model gave up.');
      throw new Error('secret path');
    },
  });
  assert.equal((await ended((await create({ fault: 1 })).id))?.errorMessage, 'The model gave up.');
  assert.equal((await ended((await create({})).id))?.errorMessage, 'internal error');
  assert.deepEqual(
    errors.map((error) => (error as Error).message),
    ['secret path'],
  );
});

test('a job that is interrupted by closing is taken up by the next process and counts no start', async (context) => {
  const { create, ended, openPool, jobs } = await open(context);
  const begun = new EventEmitter();
  const first = openPool({
    run: (_job, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        begun.emit('begun');
      }),
  });
  const waiting = once(begun, 'begun');
  const { id } = await create();
  await waiting;
  await first.close();
  const left = await jobs.find('acme', id, 0);
  assert.deepEqual([left?.status, left?.starts], ['IN_PROGRESS', 0]);
  openPool();
  const job = await ended(id);
  assert.deepEqual([job?.status, job?.starts, job?.startedAtMs], ['COMPLETED', 1, left?.startedAtMs]);
});

test('a job whose worker died three times ends as interrupted', async (context) => {
  const { create, ended, openPool, jobs } = await open(context);
  const { id } = await create();
  for (let death = 0; death < 3; death++)
    await jobs.claim({
      owner: `dead ${death}`,
      leaseMs: -1,
      jobsMax: 1,
      perAccountMax: 1,
      nowMs: Date.now(),
      startsMax: 3,
      restingModels: [],
    });
  openPool();
  assert.equal((await ended(id))?.errorMessage, 'interrupted');
});

test('a process that is alone takes up at once what another left', async (context) => {
  const { create, ended, openPool, jobs } = await open(context);
  const { id } = await create();
  await jobs.claim({
    owner: 'dead',
    leaseMs: 3_600_000,
    jobsMax: 1,
    perAccountMax: 1,
    nowMs: Date.now(),
    startsMax: 3,
    restingModels: [],
  });
  openPool({ isAlone: true });
  assert.deepEqual([(await ended(id))?.status, (await jobs.find('acme', id, 0))?.starts], ['COMPLETED', 2]);
});

test('a worker that lost its lease is aborted and its result is refused', async (context) => {
  const { create, ended, openPool, jobs } = await open(context);
  const { id } = await create();
  const stolen = Promise.withResolvers<void>();
  openPool({
    leaseMs: 60,
    // It looks for jobs once, so that it does not claim what it has just lost.
    pollMs: 3_600_000,
    run: (_job, signal) =>
      new Promise((_resolve, reject) => {
        const theft = jobs.abandonOthers('thief').then(() =>
          jobs.claim({
            owner: 'thief',
            leaseMs: 3_600_000,
            jobsMax: 1,
            perAccountMax: 1,
            nowMs: Date.now(),
            startsMax: 3,
            restingModels: [],
          }),
        );
        signal.addEventListener('abort', () => {
          void theft.then(() => reject(signal.reason as Error)).then(stolen.resolve, stolen.reject);
        });
      }),
  });
  await stolen.promise;
  const job = await jobs.find('acme', id, 0);
  assert.ok(job);
  assert.equal(
    await jobs.complete({ id, owner: 'thief', nowMs: Date.now() }, '{}', resultOf(job).usage),
    true,
  );
  assert.equal((await ended(id))?.response, '{}');
});

test('a job that is cancelled and queued once more is run by one run alone', async (context) => {
  const { create, database, ended, openPool } = await open(context);
  const people = createJobAdministration(database.db);
  const begun = new EventEmitter();
  const signals: AbortSignal[] = [];
  const pool = openPool({
    async run(job, signal) {
      signals.push(signal);
      begun.emit('begun');
      if (signals.length === 1)
        await new Promise((_resolve, reject) => signal.addEventListener('abort', reject));
      return resultOf(job);
    },
  });
  const waiting = once(begun, 'begun');
  const { id } = await create();
  await waiting;
  const one = { id, nowMs: Date.now() };
  assert.equal(await people.cancel(one, 'cancelled'), true);
  assert.equal(await people.retry(one), true);
  pool.wake();
  assert.equal((await ended(id))?.status, 'COMPLETED');
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, false],
  );
});

suite('a backend that is away', () => {
  const away = () => new Fault('service_unavailable', 'The model is away.', { away: true, retryAfterMs: 1 });
  const waits = { firstMs: 5, maxMs: 40 };

  test('fails no job: it waits, ever longer, and counts no start', async (context) => {
    const { create, ended, openPool } = await open(context);
    let tries = 0;
    openPool({
      waits,
      async run(job) {
        if (++tries < 8) throw away();
        return resultOf(job);
      },
    });
    const job = await ended((await create()).id);
    assert.deepEqual([job?.status, job?.starts, job?.waits], ['COMPLETED', 1, 7]);
  });

  test('nothing is claimed for a model that rests, everything once it is back', async (context) => {
    const { create, ended, openPool, jobs } = await open(context);
    const state = { isAway: true };
    const begun: string[] = [];
    const backends = { models: ['svc', 'other'], rests: (model: string) => model === 'svc' && state.isAway };
    const made = await Promise.all(Array.from({ length: 20 }, () => create()));
    const pool = openPool({
      backends,
      async run(job) {
        begun.push(job.model);
        return resultOf(job);
      },
    });
    const other = await jobs.create(
      {
        id: 'other',
        accountId: 'acme',
        keyId: 'k',
        model: 'other',
        request: '{}',
        requestHash: 'x',
        idempotencyKey: null,
        createdAtMs: Date.now(),
      },
      0,
    );
    pool.wake();
    assert.equal((await ended(other.job.id))?.status, 'COMPLETED');
    assert.deepEqual(begun, ['other']);
    state.isAway = false;
    for (const { id } of made) assert.equal((await ended(id))?.status, 'COMPLETED');
  });

  test('a job whose backend never comes back fails in the end and says so, tried or not', async (context) => {
    const { create, ended, openPool } = await open(context);
    const clock = createManualClock(Date.now());
    const tried = await create();
    let tries = 0;
    const first = openPool({
      clock,
      waits,
      giveUpAfterMs: 3_600_000,
      run() {
        tries++;
        if (tries > 3) clock.advance(3_600_000);
        throw away();
      },
    });
    assert.equal((await ended(tried.id))?.errorMessage, 'The model is away. It was tried for 3600 seconds.');
    await first.close();
    const waiting = await create();
    clock.advance(3_600_000);
    openPool({
      clock,
      giveUpAfterMs: 3_600_000,
      backends: { models: ['svc'], rests: () => true },
      run: () => Promise.reject(new Error('was begun')),
    });
    const job = await ended(waiting.id);
    assert.equal(job?.errorMessage, 'No backend was available. It was tried for 3600 seconds.');
    assert.equal(job?.startedAtMs, null);
  });

  test('a job that takes too long by itself is tried three times, and a failure of its own fails it at once', async (context) => {
    const { create, ended, openPool } = await open(context);
    openPool({
      waits,
      run(job) {
        if (job.request.includes('slow'))
          throw new Fault('gateway_timeout', 'The model did not answer in time.', { away: true });
        if (job.request.includes('final')) throw new Fault('service_unavailable', 'Never.', { final: true });
        throw new Fault('bad_gateway', 'The model gave an unusable answer.');
      },
    });
    const slow = await ended((await create({ slow: 1 })).id);
    assert.deepEqual([slow?.starts, slow?.status], [3, 'FAILED']);
    for (const request of [{}, { final: 1 }]) {
      const job = await ended((await create(request)).id);
      assert.deepEqual([job?.starts, job?.waits, job?.status], [1, 0, 'FAILED']);
    }
  });
});
