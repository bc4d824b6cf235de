import assert from 'node:assert/strict';

import { createConversations } from '../../src/features/agent/store/conversations.ts';
import { createResponses, type RunStore } from '../../src/features/agent/store/responses.ts';
import { createAccountStorage } from '../../src/kernel/store/account-storage.ts';
import type { Database } from '../../src/kernel/store/database.ts';

type It = (name: string, body: (database: Database) => Promise<void>) => void;
type End = Parameters<RunStore['end']>[0];

const row = 256;
const lease = { owner: 'o', leaseMs: 60_000 };
const item = (id: string) => ({ id, item: `{"id":"${id}"}` });
const made = { id: 'c1', metadata: '{}', createdAtMs: 1 };

async function open({ db }: Database) {
  const conversations = createConversations(db);
  const responses = createResponses(db);
  const run = { accountId: 'a', isStored: true, previousId: null, input: '""', response: '{}' };
  /** A run that began, with the end that it is to have. */
  const endOf = async (id: string, over: Partial<End>): Promise<End> => {
    await responses.insert({ ...run, id, createdAtMs: 1, expiresAtMs: 1_000 }, lease);
    return {
      id,
      status: 'completed',
      response: '{}',
      lastSequence: 0,
      endedAtMs: 2,
      expiresAtMs: 1_000,
      eventsExpireAtMs: 500,
      events: [],
      items: [],
      files: [],
      replaces: null,
      conversation: { id: 'c1', items: [item('in'), item(`out-${id}`)], isKept: true, expiresAtMs: 2_000 },
      ...over,
    };
  };
  const idsOf = async (id: string) =>
    (await conversations.listItems(id, { after: null, order: 'asc', limit: 100 })).map((one) => one.id);
  return { conversations, responses, storage: createAccountStorage(db), endOf, idsOf };
}

/** What a store guarantees of conversations. */
export function conversationTests(it: It): void {
  it('a conversation counts for its account, is nobody else’s, and goes with its items', async (database) => {
    const { conversations, storage, idsOf } = await open(database);
    await conversations.insert(made, 'a', 1_000, [item('m1'), item('m2')]);
    assert.equal(await storage.bytesOf('a'), 3 * row + 2 + 2 * 11);
    assert.equal((await conversations.find('a', 'c1', 999))?.metadata, '{}');
    assert.equal(await conversations.find('b', 'c1', 999), undefined);
    assert.equal(await conversations.find('a', 'c1', 1_000), undefined);
    assert.equal(await conversations.setMetadata('b', 'c1', '[]'), false);
    assert.equal(await conversations.setMetadata('a', 'c1', '{"k":1}'), true);
    assert.equal(await storage.bytesOf('a'), 3 * row + 7 + 2 * 11);
    await conversations.removeItem('c1', 'm1');
    assert.deepEqual(await idsOf('c1'), ['m2']);
    assert.equal(await conversations.remove('b', 'c1'), false);
    assert.equal(await conversations.remove('a', 'c1'), true);
    assert.deepEqual([await idsOf('c1'), await storage.bytesOf('a')], [[], 0]);
    assert.deepEqual(await storage.recount(), []);
  });

  it('items are appended in order, once, and make the conversation live on', async (database) => {
    const { conversations, idsOf } = await open(database);
    await conversations.insert(made, 'a', 1_000, []);
    assert.equal(await conversations.append('c1', [item('m2'), item('m1')], 2_000), true);
    assert.equal(await conversations.append('c1', [item('m1'), item('m3')], 3_000), true);
    assert.equal(await conversations.append('gone', [item('m1')], 3_000), false);
    assert.deepEqual(await idsOf('c1'), ['m2', 'm1', 'm3']);
    const page = await conversations.listItems('c1', { after: 'm1', order: 'desc', limit: 5 });
    assert.deepEqual(page, [item('m2')]);
    assert.deepEqual(await conversations.listItems('c1', { after: 'nobody', order: 'asc', limit: 5 }), []);
    assert.equal(await conversations.forget(2_999), 0);
    assert.equal(await conversations.forget(3_000), 1);
    assert.deepEqual(await idsOf('c1'), []);
  });

  it('the end of a run whose process has gone stands behind every event of it', async ({ db }) => {
    const responses = createResponses(db);
    const run = { accountId: 'a', isStored: true, previousId: null, input: '""', response: '{}' };
    await responses.insert(
      { ...run, id: 'lost', createdAtMs: 1, expiresAtMs: 1_000 },
      { owner: 'o', leaseMs: 60_000 },
    );
    const append = (at: number) =>
      responses.appendEvents([{ id: 'lost', firstSequence: at, lines: '["event"]' }], 1_000);
    await append(0);
    const ended = responses.endLost('lost', (events) => ({
      id: 'lost',
      status: 'failed',
      response: '{}',
      lastSequence: events.length,
      endedAtMs: 2,
      expiresAtMs: 1_000,
      eventsExpireAtMs: 500,
      events: [{ id: 'lost', firstSequence: events.length, lines: '["end"]' }],
      items: [],
      files: [],
      replaces: null,
    }));
    await Promise.all([ended, append(1), append(2)]);
    const kept = await responses.readEvents('lost', -1);
    assert.deepEqual([kept.at(-1)?.lines, kept.at(-1)?.firstSequence], ['["end"]', kept.length - 1]);
  });

  it('the end of a run brings its items with it, and a failure in its place takes them back', async (database) => {
    const { conversations, responses, endOf, idsOf } = await open(database);
    await conversations.insert(made, 'a', 1_000, [item('before')]);
    const end = await endOf('r1', {});
    assert.equal(await responses.end(end), true);
    assert.equal(await responses.end(end), false);
    assert.deepEqual(await idsOf('c1'), ['before', 'in', 'out-r1']);
    const failed = { ...end, status: 'failed', response: '{"failed":1}', replaces: end.response } as const;
    const { conversation } = end;
    assert.ok(conversation);
    assert.equal(await responses.end({ ...failed, conversation: { ...conversation, isKept: false } }), true);
    assert.deepEqual(await idsOf('c1'), ['before']);
    assert.equal((await conversations.find('a', 'c1', 1_999))?.id, 'c1');
  });

  it('one response at a time goes on with a conversation, until it has ended', async (database) => {
    const { conversations, responses, endOf } = await open(database);
    await conversations.insert(made, 'a', 1_000, []);
    const run = { accountId: 'a', isStored: true, previousId: null, input: '""', response: '{}' };
    const begun = (id: string) =>
      responses.insertHolding('c1', { ...run, id, createdAtMs: 1, expiresAtMs: 1_000 }, lease);
    const takers = ['r1', 'r2', 'r3', 'r4'];
    const taken = await Promise.all(takers.map((id) => conversations.lock('c1', id, 60_000)));
    assert.equal(taken.filter(Boolean).length, 1);
    const first = takers[taken.indexOf(true)] ?? '';
    const other = first === 'r1' ? 'r2' : 'r1';
    assert.equal(await begun(other), false);
    assert.equal(await responses.find('a', other, 1), undefined);
    await conversations.unlock('c1', other);
    assert.equal(await conversations.lock('c1', other, 60_000), false);
    assert.equal(await begun(first), true);
    assert.equal(await conversations.lock('c1', other, 60_000), false);
    const end = { ...(await endOf('another', {})), id: first };
    assert.equal(await responses.end(end), true);
    assert.equal(await conversations.lock('c1', other, 60_000), true);
    await conversations.unlock('c1', other);
    assert.equal(await conversations.lock('c1', 'r9', 60_000), true);
  });

  it('a process that has gone holds no conversation', async (database) => {
    const { conversations, responses, endOf } = await open(database);
    await conversations.insert(made, 'a', 1_000, []);
    // Gone before its response began: the time of the lock is over.
    assert.equal(await conversations.lock('c1', 'r1', -1), true);
    assert.equal(await conversations.lock('c1', 'r2', 60_000), true);
    const late = { accountId: 'a', isStored: true, previousId: null, input: '""', response: '{}', id: 'r1' };
    assert.equal(
      await responses.insertHolding('c1', { ...late, createdAtMs: 1, expiresAtMs: 1_000 }, lease),
      false,
    );
    // Gone while it was in progress: another process ends it, without what it would have said.
    assert.equal(
      await responses.insertHolding('c1', { ...late, id: 'r2', createdAtMs: 1, expiresAtMs: 1_000 }, lease),
      true,
    );
    assert.equal(await conversations.lock('c1', 'r3', 60_000), false);
    const { conversation: _, ...end } = await endOf('another', { status: 'failed' });
    assert.equal(await responses.end({ ...end, id: 'r2' }), true);
    assert.equal(await conversations.lock('c1', 'r3', 60_000), true);
  });

  it('a run whose conversation was deleted ends all the same', async (database) => {
    const { responses, endOf, idsOf } = await open(database);
    assert.equal(await responses.end(await endOf('r1', {})), true);
    assert.deepEqual(await idsOf('c1'), []);
    assert.equal((await responses.find('a', 'r1', 1))?.status, 'completed');
  });
}
