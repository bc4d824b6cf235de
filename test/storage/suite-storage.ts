import assert from 'node:assert/strict';

import { createAccountStorage } from '../../src/kernel/store/account-storage.ts';
import type { Database } from '../../src/kernel/store/database.ts';
import { createJobs } from '../../src/features/jobs/store/jobs.ts';
import { createResponses, type RunStore } from '../../src/features/agent/store/responses.ts';
import { createSkills } from '../../src/features/skills/store.ts';
import { usageRow } from './suite-metering.ts';

type It = (name: string, body: (database: Database) => Promise<void>) => void;

const row = 256;
const lease = { owner: 'o', leaseMs: 60_000 };

type NewRun = Parameters<RunStore['insert']>[0];

const response = (id: string, accountId: string, over: Partial<NewRun> = {}): NewRun => ({
  id,
  accountId,
  isStored: true,
  previousId: null,
  input: '"ü"',
  response: '{}',
  createdAtMs: 1,
  expiresAtMs: 1_000,
  ...over,
});

/** What a store guarantees about the count of what it keeps for an account. */
export function storageTests(it: It): void {
  it('counts what responses leave, in bytes, and forgets it with them', async ({ db }) => {
    const storage = createAccountStorage(db);
    const responses = createResponses(db);
    assert.equal(await storage.bytesOf('a'), 0);
    await responses.insert(response('r1', 'a'), lease);
    await responses.insert(response('r2', 'b'), lease);
    assert.equal(await storage.bytesOf('a'), row + 4 + 2);
    const events = [
      { id: 'r1', firstSequence: 0, lines: 'x'.repeat(100) },
      { id: 'r2', firstSequence: 0, lines: 'x'.repeat(10) },
      { id: 'gone', firstSequence: 0, lines: 'x'.repeat(10) },
    ];
    await responses.appendEvents(events, 1_000);
    await responses.appendEvents(events, 1_000);
    assert.deepEqual(
      [await storage.bytesOf('a'), await storage.bytesOf('b')],
      [2 * row + 106, 2 * row + 16],
      'what is written twice is counted once',
    );
    await responses.end({
      id: 'r1',
      replaces: null,
      status: 'completed',
      response: '{"a":1}',
      lastSequence: 1,
      endedAtMs: 2,
      expiresAtMs: 1_000,
      eventsExpireAtMs: 500,
      events: [{ id: 'r1', firstSequence: 1, lines: '[]' }],
      items: [{ id: 'i1', item: '{}' }],
      files: [{ id: 'f1', filename: 'a.txt', bytes: Buffer.from('abc') }],
    });
    await responses.appendEvents([{ id: 'r1', firstSequence: 2, lines: '[]' }], 1_000);
    const kept = (await responses.readEvents('r1', -1)).map(({ firstSequence }) => firstSequence);
    assert.deepEqual(kept, [0, 1], 'a response that has ended takes no more events');
    assert.equal(await storage.bytesOf('a'), 5 * row + 4 + 7 + 100 + 2 + 2 + 5 + 4);
    assert.deepEqual(await storage.recount(), []);
    await responses.forget(500);
    assert.equal(await storage.bytesOf('a'), 3 * row + 4 + 7 + 2 + 5 + 4);
    assert.equal(await responses.remove('a', 'r1'), true);
    assert.equal(await storage.bytesOf('a'), 0);
    assert.equal(await storage.bytesOf('b'), 2 * row + 16);
    assert.deepEqual(await storage.recount(), []);
  });

  it('forgets what is past its time, of every account', async ({ db }) => {
    const storage = createAccountStorage(db);
    const responses = createResponses(db);
    for (const account of ['b', 'a', 'c']) {
      await responses.insert(response(`r-${account}`, account), lease);
      await responses.end({
        id: `r-${account}`,
        status: 'failed',
        response: '{}',
        lastSequence: 0,
        endedAtMs: 2,
        expiresAtMs: 500,
        eventsExpireAtMs: 900,
        files: [],
        replaces: null,
        events: [
          {
            id: `r-${account}`,
            firstSequence: 0,
            lines: '[]',
          },
        ],
        items: [
          {
            id: `i-${account}`,
            item: '{}',
          },
        ],
      });
    }
    assert.equal(await responses.forget(500), 3);
    assert.deepEqual([...(await storage.bytesOfAll(['a', 'b', 'c', 'd'])).values()], [0, 0, 0]);
    assert.deepEqual(await storage.recount(), []);
  });

  it('counts jobs and their results, and skills with all their revisions', async ({ db }) => {
    const storage = createAccountStorage(db);
    const jobs = createJobs(db);
    const job = { accountId: 'a', keyId: 'k', model: 'm', requestHash: 'h', createdAtMs: 1 };
    await jobs.create({ ...job, id: 'j1', request: '{"a":1}', idempotencyKey: 'once' }, 0);
    await jobs.create({ ...job, id: 'j2', request: '{"a":1}', idempotencyKey: 'once' }, 0);
    assert.equal(await storage.bytesOf('a'), row + 7);
    await jobs.claim({ ...lease, jobsMax: 1, perAccountMax: 1, nowMs: 1, startsMax: 3, restingModels: [] });
    await jobs.complete({ id: 'j1', owner: 'o', nowMs: 2 }, '{"b":22}', usageRow('j1'));
    assert.equal(await storage.bytesOf('a'), row + 7 + 8);
    await jobs.forget(1);
    assert.equal(await storage.bytesOf('a'), 0);

    const skills = createSkills(db);
    const times = { createdAtMs: 1, updatedAtMs: 1 };
    const revision = (id: string) => ({
      id,
      name: 's',
      description: 'd',
      extra: '{}',
      createdAtMs: 1,
      bundle: Buffer.from('abc'),
    });
    await skills.create({ id: 's1', accountId: 'a', ...times }, revision('v1'), 9);
    const target = { accountId: 'a', id: 's1' };
    await skills.update({ ...target, expected: 'v1' }, revision('v2'), 2);
    assert.equal(await storage.bytesOf('a'), 2 * (row + 1 + 2 + 4));
    await skills.update({ ...target, expected: 'v2' }, revision('v3'), 2);
    assert.equal(await storage.bytesOf('a'), 2 * (row + 1 + 2 + 4));
    await skills.remove('a', 's1', 'v3');
    assert.equal(await storage.bytesOf('a'), 0);
    assert.deepEqual(await storage.recount(), []);
  });

  it('a count that is wrong is put right and told', async ({ db }) => {
    const storage = createAccountStorage(db);
    await createResponses(db).insert(response('r1', 'a'), lease);
    await db.updateTable('account_storage').set({ bytes: 7 }).execute();
    await db.insertInto('account_storage').values({ account_id: 'gone', bytes: 9 }).execute();
    assert.deepEqual([...(await storage.recount())].toSorted(), ['a', 'gone']);
    assert.equal(await storage.bytesOf('a'), row + 6);
    assert.equal(await storage.bytesOf('gone'), 0);
    assert.deepEqual(await storage.recount(), []);
  });
}
