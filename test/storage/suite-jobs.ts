import assert from 'node:assert/strict';

import type { Database } from '../../src/storage/database.ts';
import { createJobs, type ClaimOptions, type NewJob } from '../../src/storage/jobs.ts';
import { ensureSecret } from '../../src/storage/secrets.ts';
import { createUsage } from '../../src/storage/usage.ts';
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
  ...over,
});

const ids = (jobs: readonly { readonly id: string }[]) => jobs.map(({ id }) => id);

/** What a store guarantees about asynchronous jobs. */
export function jobTests(it: It): void {
  creationTests(it);
  claimTests(it);
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
