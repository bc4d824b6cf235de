import assert from 'node:assert/strict';

import { createUsage, type UsageRow } from '../../src/features/accounts/feature.ts';
import {
  createBatchTurns,
  type Turn,
  type TurnResult,
} from '../../src/features/decisions/store/batch-turns.ts';
import { createBatches, type Piece } from '../../src/features/decisions/store/batches.ts';
import { createAccountStorage } from '../../src/kernel/store/account-storage.ts';
import type { Database } from '../../src/kernel/store/database.ts';
import { lineMax } from '../../src/features/decisions/wire/batches/schema.ts';

type It = (name: string, body: (database: Database) => Promise<void>) => void;

const lease = { owner: 'one', leaseMs: 60_000 };
const other = { owner: 'two', leaseMs: 60_000 };
const piece = (firstLine: number, lines = 1): Piece => ({
  firstLine,
  lines,
  content: Array.from({ length: lines }, (_, at) => `{"state":"${firstLine + at}"}`).join('\n'),
});

async function fill({ db }: Database, id: string, pieces: readonly Piece[], accountId = 'a') {
  const batches = createBatches(db);
  const about = { accountId, keyId: 'k', model: 'm', name: null, questions: null };
  await batches.receive({ ...about, id, createdAtMs: 1, expiresAtMs: 100 });
  for (const one of pieces) await batches.add(id, one, lease);
  return batches.accept(
    id,
    pieces.reduce((sum, { lines }) => sum + lines, 0),
  );
}

function usageOf(id: string): UsageRow {
  const counts = { inputTokens: 3, outputTokens: 1, otherUnits: null, costUsd: 0, costParts: {} };
  const about = { accountId: 'a', keyId: 'k', operation: 'o', model: 'm', requestId: id };
  return { id, ...about, ...counts, status: 200, durationMs: 1, createdAtMs: 5 };
}

/** The result of some lines of a turn, from the first that is not done. */
function resultOf({ batch, input }: Turn, lines = input.lines - input.done): TurnResult {
  const firstLine = input.firstLine + input.done;
  const numbers = Array.from({ length: lines }, (_, at) => firstLine + at);
  return {
    piece: { firstLine, lines, content: numbers.map((line) => `{"line":${line},"x":1}\n`).join('') },
    answered: lines,
    failed: 0,
    usage: numbers.map((line) => usageOf(`${batch.id}-${line}`)),
    nowMs: 7,
    expiresAtMs: 200,
    startsLeft: 0,
  };
}

async function claimed(turns: ReturnType<typeof createBatchTurns>, by = lease): Promise<Turn> {
  const turn = await turns.claim(by, 5);
  assert.ok(turn);
  return turn;
}

const textOf = (pieces: readonly Piece[]) => pieces.map(({ content }) => content).join('');

/** Batches of decisions. */
export function batchTests(it: It): void {
  it('an upload is seen by its account alone, and only once it is whole', async (database) => {
    const batches = createBatches(database.db);
    const about = { accountId: 'a', keyId: 'k', model: 'm', name: 'é.jsonl', questions: '{"é":1}' };
    await batches.receive({ ...about, id: 'x', createdAtMs: 1, expiresAtMs: 100 });
    await batches.add('x', piece(1), lease);
    assert.equal(await batches.find('a', 'x'), undefined);
    assert.equal(await createBatchTurns(database.db).claim(lease, 5), null);
    const batch = await batches.accept('x', 1);
    assert.deepEqual(await batches.find('a', 'x'), batch);
    assert.deepEqual([batch.status, batch.name, batch.questions], ['queued', 'é.jsonl', '{"é":1}']);
    assert.equal(await batches.find('b', 'x'), undefined);
    assert.deepEqual(await batches.list({ accountId: 'b', beforeOrdinal: undefined, limit: 5 }), []);
    const listed = await batches.list({ accountId: 'a', beforeOrdinal: undefined, limit: 5 });
    assert.deepEqual(listed, [batch]);
  });

  it('results, ledger and counts are stored together, once, in turns of any length', async (database) => {
    const { db } = database;
    const turns = createBatchTurns(db);
    const batches = createBatches(db);
    await fill(database, 'x', [piece(1, 3), piece(4, 2)]);
    const first = await claimed(turns);
    assert.equal(await turns.store(first, 'one', resultOf(first, 2)), true);
    // The same turn once more, as after an answer that was lost.
    assert.equal(await turns.store(first, 'one', resultOf(first, 2)), false);
    assert.equal(await batches.firstOpenLine('x'), 3);
    for (let turn = await turns.claim(lease, 5); turn !== null; turn = await turns.claim(lease, 5))
      assert.equal(await turns.store(turn, 'one', resultOf(turn)), true);
    const all = await batches.results('x', 0, 10);
    assert.equal(textOf(all), [1, 2, 3, 4, 5].map((line) => `{"line":${line},"x":1}\n`).join(''));
    assert.equal(textOf(await batches.results('x', 3, 10)), textOf(all.slice(2)));
    assert.deepEqual(await batches.results('x', lineMax, 10), []);
    const done = await batches.find('a', 'x');
    assert.deepEqual(
      [
        done?.status,
        done?.answered,
        done?.inputTokens,
        done?.startedAtMs,
        done?.endedAtMs,
        done?.expiresAtMs,
      ],
      ['completed', 5, 15, 5, 7, 200],
    );
    const ledger = await createUsage(db).page({});
    assert.deepEqual(
      ledger.map(({ id }) => id).sort(),
      [1, 2, 3, 4, 5].map((line) => `x-${line}`),
    );
    assert.equal(await batches.firstOpenLine('x'), undefined);
  });

  it('a piece is one owner’s until its lease is over, and what others answer of it is refused', async (database) => {
    const turns = createBatchTurns(database.db);
    await fill(database, 'x', [piece(1, 2)]);
    const first = await claimed(turns, { owner: 'one', leaseMs: -1 });
    const second = await claimed(turns, other);
    assert.equal(second.input.starts, first.input.starts + 1);
    assert.equal(await turns.claim(lease, 5), null);
    assert.equal(await turns.extend(first, lease), false);
    assert.equal(await turns.store(first, 'one', resultOf(first)), false);
    assert.equal(await turns.extend(second, other), true);
    assert.equal(await turns.store(second, 'two', resultOf(second)), true);
    assert.equal((await createUsage(database.db).page({})).length, 2);
  });

  it('accounts take turns, whoever came first and however much one has', async (database) => {
    const turns = createBatchTurns(database.db);
    for (const id of ['x1', 'x2']) await fill(database, id, [piece(1), piece(2), piece(3)]);
    await fill(database, 'y', [piece(1), piece(2)], 'b');
    const served: string[] = [];
    for (let at = 0; at < 4; at++) {
      const turn = await claimed(turns);
      served.push(turn.batch.accountId);
      // The clock of the store has ms.
      await new Promise((resolve) => setTimeout(resolve, 2));
      await turns.store(turn, 'one', resultOf(turn));
    }
    assert.deepEqual(served.toSorted(), ['a', 'a', 'b', 'b']);
    assert.notEqual(served[0], served[1]);
    assert.notEqual(served[2], served[3]);
  });

  it('one that waits is passed over, and what is given back counts as never begun', async (database) => {
    const { db } = database;
    const turns = createBatchTurns(db);
    await fill(database, 'x', [piece(1), piece(2)]);
    const turn = await claimed(turns);
    await turns.release(turn, 'one', { ms: 60_000, for: 'engine' });
    assert.equal(await turns.claim(lease, 5), null);
    const waiting = await createBatches(db).find('a', 'x');
    assert.deepEqual([waiting?.waitsFor, waiting?.waits], ['engine', 1]);
    await db.updateTable('decision_batches').set({ not_before_ms: 0 }).execute();
    const again = await claimed(turns);
    assert.deepEqual([again.input.firstLine, again.input.starts], [1, 1]);
  });

  it('after the cancellation nothing is stored, and nothing is billed', async (database) => {
    const turns = createBatchTurns(database.db);
    const batches = createBatches(database.db);
    await fill(database, 'x', [piece(1), piece(2)]);
    const first = await claimed(turns);
    await turns.store(first, 'one', resultOf(first));
    const second = await claimed(turns);
    assert.equal(await batches.cancel('b', 'x', 9, 300), false);
    assert.equal(await batches.cancel('a', 'x', 9, 300), true);
    assert.equal(await batches.cancel('a', 'x', 9, 300), false);
    assert.equal(await turns.store(second, 'one', resultOf(second)), false);
    assert.equal(await turns.claim(lease, 5), null);
    const ended = await batches.find('a', 'x');
    assert.deepEqual([ended?.status, ended?.answered, ended?.endedAtMs], ['cancelled', 1, 9]);
    assert.equal((await batches.results('x', 0, 10)).length, 1);
    assert.equal((await createUsage(database.db).page({})).length, 1);
  });

  it('everything counts as stored, and deleted it counts no more', async (database) => {
    const { db } = database;
    const storage = createAccountStorage(db);
    const turns = createBatchTurns(db);
    const batches = createBatches(db);
    await fill(database, 'x', [piece(1, 2), piece(3, 100)]);
    const uploaded = await storage.bytesOf('a');
    assert.ok(uploaded > 3 * 256 + piece(3, 100).content.length);
    const turn = await claimed(turns);
    await turns.store(turn, 'one', resultOf(turn));
    assert.notEqual(await storage.bytesOf('a'), uploaded);
    assert.equal(await batches.hide('b', 'x'), false);
    assert.equal(await batches.hide('a', 'x'), true);
    assert.equal(await batches.hide('a', 'x'), false);
    assert.equal(await batches.find('a', 'x'), undefined);
    assert.equal(await turns.claim(lease, 5), null);
    await batches.sweep();
    assert.equal(await storage.bytesOf('a'), 0);
    const left = await db.selectFrom('decision_batch_results').selectAll().execute();
    assert.deepEqual(left, []);
  });

  it('uploads that were broken off are swept, and one that goes on is not', async (database) => {
    const { db } = database;
    const batches = createBatches(db);
    const about = { accountId: 'a', keyId: 'k', model: 'm', name: null, questions: null };
    for (const id of ['dead', 'alive']) {
      await batches.receive({ ...about, id, createdAtMs: 1, expiresAtMs: 100 });
      await batches.add(id, piece(1), { leaseMs: id === 'dead' ? -1 : 60_000 });
    }
    await batches.sweep();
    await assert.rejects(batches.add('dead', piece(2), lease), /given up/);
    assert.equal((await batches.accept('alive', 1)).status, 'queued');
  });

  it('an open one expires and is kept as long again, and an ended one is removed', async (database) => {
    const batches = createBatches(database.db);
    await fill(database, 'x', [piece(1)]);
    assert.equal(await batches.expire(99, 50), 0);
    assert.equal(await batches.expire(100, 50), 1);
    const expired = await batches.find('a', 'x');
    assert.deepEqual([expired?.status, expired?.expiresAtMs], ['expired', 150]);
    assert.equal(await createBatchTurns(database.db).claim(lease, 5), null);
    assert.equal(await batches.expire(150, 50), 1);
    assert.equal(await batches.find('a', 'x'), undefined);
  });

  it('a process that knows that it is alone takes over at once, and leaves uploads that it began', async (database) => {
    const turns = createBatchTurns(database.db);
    const batches = createBatches(database.db);
    await fill(database, 'x', [piece(1)]);
    await claimed(turns);
    assert.equal(await turns.claim(other, 5), null);
    const about = { accountId: 'a', keyId: 'k', model: 'm', name: null, questions: null, expiresAtMs: 100 };
    const openedAtMs = 7;
    for (const [id, createdAtMs] of [
      ['before', 6],
      ['since', 7],
    ] as const) {
      await batches.receive({ ...about, id, createdAtMs });
      await batches.add(id, piece(1), lease);
    }
    await turns.abandonOthers('two', openedAtMs);
    await batches.sweep();
    assert.equal((await claimed(turns, other)).input.starts, 2);
    await assert.rejects(batches.add('before', piece(2), lease), /given up/);
    assert.equal((await batches.accept('since', 1)).status, 'queued');
  });
}
