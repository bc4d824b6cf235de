import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { openDatabase } from '../../src/kernel/store/database.ts';
import { postgresSkipReason, startPostgres } from '../support/postgres.ts';
import { roundsOf } from '../support/rounds.ts';
import { run } from './run.ts';

const clientKills = roundsOf(2, 12);
const serverKills = roundsOf(1, 2);
const nowhere = { dataFolder: '/nowhere' };

function idsOf(output: string): readonly string[] {
  // A last line without its end was cut off by the kill.
  return output.split('\n').slice(0, -1);
}

/**
 * How far the slowest writer of batches came. From a little before it on, what was in doubt is sent a second time,
 * and so is what was acknowledged.
 */
function slowestLane(acknowledged: ReadonlySet<string>): number {
  const reached = [0, 0, 0];
  for (const id of acknowledged) {
    const [, kind, lane, number] = /^(usage|purchase) (\d)\.(\d+)/.exec(id) ?? [];
    if (kind === 'usage') reached[Number(lane)] = Math.max(reached[Number(lane)] ?? 0, Number(number));
  }
  return Math.min(...reached);
}

/** Every acknowledged id is there once, and credits are the sum of the purchases. */
async function check(url: string, acknowledged: ReadonlySet<string>): Promise<void> {
  const database = await openDatabase(url, nowhere);
  try {
    const { db } = database;
    const usage = await db.selectFrom('usage').select('id').execute();
    const purchases = await db.selectFrom('credit_purchases').select('id').execute();
    const found = [...usage, ...purchases].map(({ id }) => id);
    const lost = acknowledged.difference(new Set(found));
    assert.equal(lost.size, 0, `lost of ${acknowledged.size}: ${[...lost].slice(0, 3).join()}`);
    assert.equal(new Set(found).size, found.length);
    const [account] = await db.selectFrom('accounts').selectAll().execute();
    assert.equal(account?.credits_purchased_usd, Math.round(purchases.length) / 10);
  } finally {
    await database.close();
  }
}

suite('kill -9 with PostgreSQL', { skip: postgresSkipReason() }, () => {
  test(`of a client under load: nothing acknowledged is lost or doubled, over ${clientKills} rounds`, async (context) => {
    const server = await startPostgres();
    context.after(() => server.close());
    const url = await server.createDatabase();
    const acknowledged = new Set<string>();
    for (let round = 0; round < clientKills; round++) {
      const delayMs = Math.random() * 150;
      const from = String(Math.max(0, slowestLane(acknowledged) - 3));
      const ended = await run('write', [url, from], (child) =>
        setTimeout(() => child.kill('SIGKILL'), delayMs),
      );
      assert.equal(ended.signal, 'SIGKILL', ended.errors);
      for (const id of idsOf(ended.output)) acknowledged.add(id);
      if (round % 8 === 7) await check(url, acknowledged);
    }
    await check(url, acknowledged);
    context.diagnostic(`${acknowledged.size} acknowledged, none lost, none doubled`);
  });

  test(`of the server under load, with fsync: nothing acknowledged is lost, over ${serverKills} rounds`, async (context) => {
    const server = await startPostgres({ fsync: true });
    context.after(() => server.close());
    const url = await server.createDatabase();
    const acknowledged = new Set<string>();
    for (let round = 0; round < serverKills; round++) {
      const ended = await run('write', [url, String(round * 1_000_000)], () => {
        setTimeout(() => void server.stop('SIGKILL'), 50 + Math.random() * 200);
      });
      assert.notEqual(ended.code, 0);
      assert.match(ended.errors, /The database is not available/);
      for (const id of idsOf(ended.output)) acknowledged.add(id);
      await server.start();
      await check(url, acknowledged);
    }
    context.diagnostic(`${acknowledged.size} acknowledged, none lost, none doubled`);
  });
});
