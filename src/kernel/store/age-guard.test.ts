import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { createAgeGuard } from './age-guard.ts';
import { openDatabase } from './database.ts';
import { createJobs } from '../../features/jobs/store/jobs.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const retentionMs = 7 * dayMs;

/** A store, and the deletion of jobs as a process sees to it whose clock stands there. */
async function open(context: TestContext) {
  const database = await openDatabase('sqlite::memory:', { dataFolder: '/nowhere' });
  context.after(() => database.close());
  const jobs = createJobs(database.db);
  const job = {
    accountId: 'a',
    keyId: 'k',
    model: 'm',
    request: '{}',
    requestHash: 'h',
    idempotencyKey: null,
  };
  const begin = (startMs: number) => {
    const time = { ms: 0 };
    const clock = { now: () => startMs + time.ms, monotonic: () => time.ms };
    const doubts: number[] = [];
    const forget = createAgeGuard(database, clock, (aheadMs) => doubts.push(aheadMs))((beforeMs: number) =>
      jobs.forget(beforeMs),
    );
    return { time, doubts, forget: () => forget(clock.now() - retentionMs) };
  };
  const count = async () => (await database.db.selectFrom('jobs').select('id').execute()).length;
  const create = (id: string, createdAtMs: number) => jobs.create({ ...job, id, createdAtMs }, 0);
  return { begin, count, create };
}

const startMs = 1_800_000_000_000;

test('a clock far ahead at a start deletes nothing, and nothing is lost when it is set right', async (context) => {
  const { begin, count, create } = await open(context);
  await create('new', startMs);
  assert.equal(await begin(startMs).forget(), 0);
  const ahead = begin(startMs + 3_650 * dayMs);
  assert.equal(await ahead.forget(), 0);
  ahead.time.ms += hourMs - 1;
  assert.equal(await ahead.forget(), 0);
  assert.deepEqual(ahead.doubts, [3_650 * dayMs], 'told once');
  assert.equal(await begin(startMs + hourMs).forget(), 0);
  assert.equal(await count(), 1);
});

test('what is old is deleted an hour later where the clock is right and the server was off', async (context) => {
  const { begin, count, create } = await open(context);
  await begin(startMs).forget();
  await create('old', startMs);
  const later = begin(startMs + 30 * dayMs);
  assert.equal(await later.forget(), 0);
  later.time.ms += hourMs;
  assert.equal(await later.forget(), 1);
  assert.equal(await count(), 0);
});

test('a process whose clock is wrong is never confirmed beside one whose clock is right', async (context) => {
  const { begin, count, create } = await open(context);
  const right = begin(startMs);
  await right.forget();
  await create('new', startMs);
  const wrong = begin(startMs + 30 * dayMs);
  for (let turn = 0; turn < 20; turn++) {
    assert.equal(await wrong.forget(), 0);
    assert.equal(await right.forget(), 0);
    wrong.time.ms += hourMs / 6;
    right.time.ms += hourMs / 6;
  }
  assert.equal(await count(), 1);
});
