import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { createJobs } from '../../src/features/jobs/store/jobs.ts';
import { jsonOf, openConsole, type Console } from './support.ts';

interface Job {
  readonly id: string;
  readonly account_id: string;
  readonly status: string;
  readonly error_message: string | null;
}

/** One job of `acme` that failed, one that waits, and one of `zeta` that a worker has. */
async function fillQueue({ folder }: Console): Promise<void> {
  const database = await openDatabase('sqlite', { dataFolder: `${folder}/data` });
  const jobs = createJobs(database.db);
  const nowMs = Date.UTC(2026, 10, 20, 12);
  const create = async (id: string, accountId: string) => {
    const texts = { keyId: 'k', model: 'svc', request: '{}', requestHash: id, idempotencyKey: null };
    await jobs.create({ id, accountId, ...texts, createdAtMs: nowMs }, 0);
  };
  const claim = {
    owner: 'w',
    leaseMs: 60_000,
    jobsMax: 1,
    perAccountMax: 9,
    nowMs,
    startsMax: 3,
    restingModels: [],
  };
  await create('failed', 'acme');
  await jobs.claim(claim);
  await jobs.fail({ id: 'failed', owner: 'w', nowMs }, 'The model gave up.');
  await create('running', 'zeta');
  await jobs.claim(claim);
  await create('waiting', 'acme');
  await database.close();
}

suite('nestor jobs', () => {
  test('lists jobs of all accounts, of one, or of one state, without what was asked', async (t) => {
    const console = openConsole(t);
    await fillQueue(console);
    const idsOf = async (...words: readonly string[]) =>
      jsonOf<readonly Job[]>(await console.nestor(['jobs', 'list', ...words, '--json'])).map(({ id }) => id);
    assert.deepEqual(await idsOf(), ['waiting', 'running', 'failed']);
    assert.deepEqual(await idsOf('--account', 'acme'), ['waiting', 'failed']);
    assert.deepEqual(await idsOf('--status', 'in_progress'), ['running']);
    const { out } = await console.nestor(['jobs']);
    assert.match(out, /^ID +ACCOUNT +MODEL +STATUS +CREATED +ENDED +WAITS +ERROR\n/);
    assert.match(out, /^failed +acme +svc +FAILED .*The model gave up\.$/m);
    assert.equal((await console.nestor(['jobs', '--status', 'lost'])).code, 2);
  });

  test('a job that failed is queued once more, one that is not over is cancelled, and nothing else is', async (t) => {
    const console = openConsole(t);
    await fillQueue(console);
    const { nestor } = console;
    const retried = jsonOf<Job>(await nestor(['jobs', 'retry', 'failed', '--json']));
    assert.deepEqual([retried.status, retried.error_message], ['CREATED', null]);
    for (const id of ['running', 'waiting', 'failed']) {
      const cancelled = jsonOf<Job>(await nestor(['jobs', 'cancel', id, '--json']));
      assert.deepEqual([cancelled.status, cancelled.error_message], ['FAILED', 'The job was cancelled.']);
    }
    const over = await nestor(['jobs', 'cancel', 'waiting']);
    assert.deepEqual([over.code, over.err], [1, 'nestor: the job is over\n']);
    await nestor(['jobs', 'retry', 'waiting']);
    const again = await nestor(['jobs', 'retry', 'waiting']);
    assert.deepEqual(
      [again.code, again.err],
      [1, 'nestor: only a job that failed can be queued once more\n'],
    );
    assert.equal((await nestor(['jobs', 'retry', 'nothing'])).err, 'nestor: job not found\n');
  });
});
