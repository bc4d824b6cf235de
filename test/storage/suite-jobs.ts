import assert from 'node:assert/strict';

import type { Database } from '../../src/kernel/store/database.ts';
import { createJobs, type ClaimOptions, type NewJob } from '../../src/features/jobs/store/jobs.ts';
import { createJobAdministration } from '../../src/features/jobs/store/jobs-administration.ts';
import { ensureSecret } from '../../src/kernel/store/secrets.ts';
import { createUsage } from '../../src/features/accounts/store/usage.ts';
import { usageRow } from './suite-metering.ts';

type It = (name: string, body: (database: Database) => Promise<void>) => void;

const start = Date.UTC(2026, 0, 31, 12);

function newJob(id: string, over: Partial<NewJob> = {}): NewJob {
  return {
    id,
    accountId: 'acme',
    keyId: 'k1',
    model: 'svc',
    request: `{"id":"${id}"}`,
    requestHash: `hash-${id}`,
    idempotencyKey: null,
    createdAtMs: start,
    ...over,
  };
}

const claimOf = (owner: string, over: Partial<ClaimOptions> = {}): ClaimOptions => ({
  owner,
  leaseMs: 60_000,
  jobsMax: 10,
  perAccountMax: 10,
  nowMs: start + 1_000,
  startsMax: 3,
  restingModels: [],
  ...over,
});

const ids = (jobs: readonly { readonly id: string }[]) => jobs.map(({ id }) => id);

/** What a store guarantees about asynchronous jobs. */
export function jobTests(it: It): void {
  creationTests(it);
  claimTests(it);
  waitTests(it);
  peopleTests(it);
  endTests(it);

  it('a secret is made once and stays', async ({ db }) => {
    assert.equal(await ensureSecret(db, 'pages', 'first'), 'first');
    assert.equal(await ensureSecret(db, 'pages', 'second'), 'first');
    assert.equal(await ensureSecret(db, 'bundles', 'third'), 'third');
  });
}

function creationTests(it: It): void {
  it('one idempotency key of an account is one job, also when creations meet', async ({ db }) => {
    const jobs = createJobs(db);
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, index) => jobs.create(newJob(`j${index}`, { idempotencyKey: 'k' }), 0)),
    );
    assert.equal(made.filter(({ isNew }) => isNew).length, 1);
    assert.equal(new Set(made.map(({ job }) => job.id)).size, 1);
    const other = await jobs.create(newJob('o', { accountId: 'other', idempotencyKey: 'k' }), 0);
    assert.equal(other.isNew, true);
    assert.equal((await jobs.create(newJob('n1'), 0)).isNew, true);
    assert.equal((await jobs.create(newJob('n2'), 0)).isNew, true);
  });

  it('an idempotency key is free again once its job is too old', async ({ db }) => {
    const jobs = createJobs(db);
    await jobs.create(newJob('old', { idempotencyKey: 'k' }), 0);
    const again = await jobs.create(newJob('new', { idempotencyKey: 'k', createdAtMs: start + 10 }), start);
    assert.deepEqual([again.isNew, again.job.id], [true, 'new']);
    assert.equal(await jobs.find('acme', 'old', 0), undefined);
  });

  it('jobs are listed newest first and new ones shift no page', async ({ db }) => {
    const jobs = createJobs(db);
    for (let index = 0; index < 5; index++) await jobs.create(newJob(`j${index}`), 0);
    const query = { accountId: 'acme', createdAfterMs: 0, limit: 2 };
    const first = await jobs.list({ ...query, beforeOrdinal: null });
    assert.deepEqual(ids(first), ['j4', 'j3']);
    // The wall clock was set back meanwhile: order is that of creation.
    await jobs.create(newJob('j5', { createdAtMs: start - 5_000 }), 0);
    const second = await jobs.list({ ...query, beforeOrdinal: first[1]?.ordinal ?? 0 });
    assert.deepEqual(ids(second), ['j2', 'j1']);
    assert.deepEqual(ids(await jobs.list({ ...query, beforeOrdinal: null })), ['j5', 'j4']);
  });

  it('a job of another account or past its time is unknown', async ({ db }) => {
    const jobs = createJobs(db);
    await jobs.create(newJob('a'), 0);
    assert.equal((await jobs.find('acme', 'a', start - 1))?.id, 'a');
    assert.equal(await jobs.find('other', 'a', 0), undefined);
    assert.equal(await jobs.find('acme', 'a', start), undefined);
    assert.deepEqual(
      await jobs.list({ accountId: 'acme', createdAfterMs: start, beforeOrdinal: null, limit: 9 }),
      [],
    );
    assert.equal(await jobs.forget(start - 1), 0);
    assert.equal(await jobs.forget(start), 1);
  });
}

function claimTests(it: It): void {
  it('claims that meet never share a job, oldest first', async ({ db }) => {
    const jobs = createJobs(db);
    for (let index = 0; index < 30; index++) await jobs.create(newJob(`j${index}`), 0);
    const claimed = await Promise.all(
      Array.from({ length: 6 }, (_, owner) => jobs.claim(claimOf(`w${owner}`, { jobsMax: 5 }))),
    );
    const all = claimed.flat();
    assert.equal(all.length, 30);
    assert.equal(new Set(ids(all)).size, 30);
    for (const batch of claimed) {
      const order = batch.map(({ ordinal }) => ordinal);
      assert.deepEqual(
        order,
        order.toSorted((a, b) => a - b),
      );
    }
    assert.ok(
      all.every(({ status, startedAtMs }) => status === 'IN_PROGRESS' && startedAtMs === start + 1_000),
    );
    assert.deepEqual(await jobs.claim(claimOf('late')), []);
  });

  it('accounts take turns: the one job of an account does not wait behind 200 of another', async ({ db }) => {
    const jobs = createJobs(db);
    for (let index = 0; index < 200; index++) await jobs.create(newJob(`a${index}`), 0);
    await jobs.create(newJob('b0', { accountId: 'other' }), 0);
    await jobs.create(newJob('c0', { accountId: 'third' }), 0);
    const four = { jobsMax: 4, perAccountMax: 4 };
    assert.deepEqual(ids(await jobs.claim(claimOf('w1', four))), ['a0', 'a1', 'b0', 'c0']);
    await jobs.create(newJob('b1', { accountId: 'other' }), 0);
    assert.deepEqual(ids(await jobs.claim(claimOf('w2', { ...four, jobsMax: 2 }))), ['a2', 'b1']);
    assert.deepEqual(ids(await jobs.claim(claimOf('w2', { ...four, jobsMax: 1 }))), ['a3']);
  });

  it('an owner has no more jobs of one account than it wants, however many wait', async ({ db }) => {
    const jobs = createJobs(db);
    for (let index = 0; index < 20; index++) await jobs.create(newJob(`a${index}`), 0);
    const half = { jobsMax: 8, perAccountMax: 4 };
    assert.deepEqual(ids(await jobs.claim(claimOf('w1', half))), ['a0', 'a1', 'a2', 'a3']);
    assert.deepEqual(await jobs.claim(claimOf('w1', half)), []);
    await jobs.create(newJob('b0', { accountId: 'other' }), 0);
    assert.deepEqual(ids(await jobs.claim(claimOf('w1', half))), ['b0']);
    await jobs.fail({ id: 'a1', owner: 'w1', nowMs: start }, 'no');
    assert.deepEqual(ids(await jobs.claim(claimOf('w1', half))), ['a4']);
  });

  it('a lease that ran out is claimed again, keeps its start, and only so often', async ({ db }) => {
    const jobs = createJobs(db);
    await jobs.create(newJob('a'), 0);
    const gone = claimOf('dead', { leaseMs: -1_000 });
    for (let starts = 1; starts <= 3; starts++) {
      const [job] = await jobs.claim({ ...gone, nowMs: start + starts * 1_000 });
      assert.deepEqual([job?.starts, job?.startedAtMs], [starts, start + 1_000]);
    }
    assert.deepEqual(await jobs.claim(gone), []);
    assert.equal(await jobs.failExhausted(3, start + 9_000, 'interrupted'), 1);
    const job = await jobs.find('acme', 'a', 0);
    assert.deepEqual(
      [job?.status, job?.errorMessage, job?.endedAtMs],
      ['FAILED', 'interrupted', start + 9_000],
    );
  });

  it('a lease is extended by its owner only, and a released job counts no start', async ({ db }) => {
    const jobs = createJobs(db);
    await jobs.create(newJob('a'), 0);
    await jobs.claim(claimOf('w1'));
    assert.deepEqual(await jobs.extend(['a'], { owner: 'w2', leaseMs: 1 }), []);
    assert.deepEqual(await jobs.extend(['a'], { owner: 'w1', leaseMs: 60_000 }), ['a']);
    await jobs.release(['a'], 'w2');
    assert.deepEqual(await jobs.claim(claimOf('w2')), []);
    await jobs.release(['a'], 'w1');
    const [again] = await jobs.claim(claimOf('w2'));
    assert.deepEqual([again?.id, again?.starts, again?.startedAtMs], ['a', 1, start + 1_000]);
  });
}

function waitTests(it: It): void {
  it('a job that waits for its backend is claimed by nobody before, and stays in progress', async ({
    db,
  }) => {
    const jobs = createJobs(db);
    await jobs.create(newJob('a'), 0);
    await jobs.claim(claimOf('w1'));
    const end = { id: 'a', owner: 'w1', nowMs: start };
    assert.equal(await jobs.postpone({ ...end, owner: 'w2' }, { waitMs: 1, countsStart: false }), false);
    assert.equal(await jobs.postpone(end, { waitMs: 60_000, countsStart: false }), true);
    const waiting = await jobs.find('acme', 'a', 0);
    assert.deepEqual(
      [waiting?.status, waiting?.starts, waiting?.waits, waiting?.startedAtMs],
      ['IN_PROGRESS', 0, 1, start + 1_000],
    );
    assert.deepEqual(await jobs.claim(claimOf('w2')), []);
    await jobs.abandonOthers('w2');
    assert.deepEqual(await jobs.claim(claimOf('w2')), [], 'a start of the server does not shorten the wait');
    assert.equal(await jobs.fail(end, 'late'), false, 'it is nobody’s');
  });

  it('a wait that is over is claimed; a try that counts as a start counts', async ({ db }) => {
    const jobs = createJobs(db);
    await jobs.create(newJob('a'), 0);
    await jobs.claim(claimOf('w1'));
    await jobs.postpone({ id: 'a', owner: 'w1', nowMs: start }, { waitMs: -1, countsStart: true });
    const [again] = await jobs.claim(claimOf('w2'));
    assert.deepEqual([again?.id, again?.starts, again?.waits], ['a', 2, 1]);
  });

  it('jobs of models that rest are passed by, also behind many of them', async ({ db }) => {
    const jobs = createJobs(db);
    for (let index = 0; index < 30; index++) await jobs.create(newJob(`a${index}`, { model: 'away' }), 0);
    await jobs.create(newJob('b', { model: 'there' }), 0);
    const claimed = await jobs.claim(claimOf('w', { jobsMax: 2, restingModels: ['away', 'other'] }));
    assert.deepEqual(ids(claimed), ['b']);
    assert.equal((await jobs.claim(claimOf('w', { jobsMax: 2 }))).length, 2);
  });

  it('what has waited too long for a model that rests is given up, nothing else', async ({ db }) => {
    const jobs = createJobs(db);
    await jobs.create(newJob('old', { model: 'away' }), 0);
    await jobs.create(newJob('young', { model: 'away', createdAtMs: start + 50 }), 0);
    await jobs.create(newJob('there', { model: 'there' }), 0);
    await jobs.create(newJob('run', { model: 'away' }), 0);
    const others = { jobsMax: 4, restingModels: ['there'] };
    const claimed = await jobs.claim(claimOf('w', others));
    for (const { id } of claimed)
      if (id !== 'run')
        await jobs.postpone({ id, owner: 'w', nowMs: start }, { waitMs: 60_000, countsStart: false });
    assert.equal(await jobs.giveUp(['away'], start + 10, start + 90, 'nobody came'), 1);
    const old = await jobs.find('acme', 'old', 0);
    assert.deepEqual([old?.status, old?.errorMessage], ['FAILED', 'nobody came']);
    for (const id of ['young', 'there', 'run'])
      assert.notEqual((await jobs.find('acme', id, 0))?.status, 'FAILED', id);
  });
}

function peopleTests(it: It): void {
  it('a job that failed is queued once more as if it were new; no other is', async ({ db }) => {
    const [jobs, people] = [createJobs(db), createJobAdministration(db)];
    await jobs.create(newJob('a'), 0);
    const one = { id: 'a', nowMs: start + 9_000 };
    assert.equal(await people.retry(one), false, 'created');
    await jobs.claim(claimOf('w'));
    assert.equal(await people.retry(one), false, 'in progress');
    await jobs.fail({ id: 'a', owner: 'w', nowMs: start + 5_000 }, 'no');
    assert.equal(await people.retry({ ...one, accountId: 'other' }), false, 'of another account');
    assert.equal(await people.retry({ ...one, accountId: 'acme' }), true);
    const queued = await jobs.find('acme', 'a', 0);
    assert.deepEqual(
      [queued?.status, queued?.errorMessage, queued?.startedAtMs, queued?.endedAtMs, queued?.starts],
      ['CREATED', null, null, null, 0],
    );
    assert.deepEqual([queued?.createdAtMs, queued?.queuedAtMs], [start, start + 9_000]);
    await jobs.claim(claimOf('w'));
    const end = { id: 'a', owner: 'w', nowMs: start + 9_500 };
    assert.equal(await jobs.complete(end, '{}', usageRow('a')), true);
    assert.equal(await people.retry(one), false, 'completed');
    assert.equal((await createUsage(db).page({})).length, 1);
  });

  it('a job that is not over can be cancelled; the result of a worker that has it is refused', async ({
    db,
  }) => {
    const [jobs, people] = [createJobs(db), createJobAdministration(db)];
    for (const id of ['a', 'b']) await jobs.create(newJob(id), 0);
    await jobs.claim(claimOf('w', { jobsMax: 1 }));
    const nowMs = start + 7_000;
    assert.equal(await people.cancel({ id: 'a', accountId: 'other', nowMs }, 'cancelled'), false);
    for (const id of ['a', 'b']) assert.equal(await people.cancel({ id, nowMs }, 'cancelled'), true);
    assert.equal(await people.cancel({ id: 'a', nowMs }, 'cancelled'), false, 'it is over');
    assert.deepEqual(await jobs.extend(['a'], { owner: 'w', leaseMs: 1_000 }), []);
    assert.equal(await jobs.complete({ id: 'a', owner: 'w', nowMs }, '{}', usageRow('a')), false);
    for (const id of ['a', 'b']) {
      const job = await jobs.find('acme', id, 0);
      assert.deepEqual([job?.status, job?.errorMessage, job?.endedAtMs], ['FAILED', 'cancelled', nowMs]);
    }
    assert.deepEqual(await createUsage(db).page({}), []);
  });

  it('jobs of all accounts are listed, or those of one, or of one state', async ({ db }) => {
    const [jobs, people] = [createJobs(db), createJobAdministration(db)];
    for (const id of ['a', 'b', 'c']) await jobs.create(newJob(id), 0);
    await jobs.create(newJob('d', { accountId: 'other' }), 0);
    await people.cancel({ id: 'b', nowMs: start }, 'cancelled');
    const page = { beforeOrdinal: null, limit: 10 };
    assert.deepEqual(ids(await people.list(page)), ['d', 'c', 'b', 'a']);
    assert.deepEqual(ids(await people.list({ ...page, accountId: 'acme', status: 'CREATED' })), ['c', 'a']);
    const [, second] = await people.list({ ...page, limit: 2 });
    assert.deepEqual(ids(await people.list({ ...page, beforeOrdinal: second?.ordinal ?? 0 })), ['b', 'a']);
    assert.equal((await people.find({ id: 'd' }))?.accountId, 'other');
    assert.equal(await people.find({ id: 'd', accountId: 'acme' }), undefined);
  });
}

function endTests(it: It): void {
  it('a result and its ledger row are kept together, once, for the owner of the lease', async ({ db }) => {
    const jobs = createJobs(db);
    await jobs.create(newJob('a'), 0);
    await jobs.claim(claimOf('w1', { leaseMs: -1 }));
    await jobs.claim(claimOf('w2'));
    const end = { id: 'a', nowMs: start + 5_000 };
    assert.equal(await jobs.complete({ ...end, owner: 'w1' }, '{"by":1}', usageRow('a')), false);
    assert.equal(await jobs.complete({ ...end, owner: 'w2' }, '{"by":2}', usageRow('a')), true);
    assert.equal(await jobs.complete({ ...end, owner: 'w2' }, '{"by":3}', usageRow('a')), false);
    assert.equal(await jobs.fail({ ...end, owner: 'w2' }, 'late'), false);
    const job = await jobs.find('acme', 'a', 0);
    assert.deepEqual([job?.status, job?.response, job?.errorMessage], ['COMPLETED', '{"by":2}', null]);
    assert.equal((await createUsage(db).page({})).length, 1);
  });

  it('times never run backwards, whatever the clock did', async ({ db }) => {
    const jobs = createJobs(db);
    await jobs.create(newJob('a'), 0);
    await jobs.claim(claimOf('w', { nowMs: start - 50_000 }));
    await jobs.fail({ id: 'a', owner: 'w', nowMs: start - 90_000 }, 'no');
    const job = await jobs.find('acme', 'a', 0);
    assert.deepEqual([job?.createdAtMs, job?.startedAtMs, job?.endedAtMs], [start, start, start]);
  });
}
