import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../../../test/support/clock.ts';
import { untilOver } from '../../../../test/support/batches.ts';
import { openDatabase } from '../../../kernel/store/database.ts';
import { createBatchTurns } from '../store/batch-turns.ts';
import { createBatches } from '../store/batches.ts';
import { Traffic } from './traffic.ts';
import { BatchWorker } from './worker.ts';

const pieces = 8;
const linesPerPiece = 4;

test('an account whose rows do not come back leaves room for another', async (t) => {
  const database = await openDatabase('sqlite::memory:', { dataFolder: '/nowhere' });
  t.after(() => database.close());
  const { db } = database;
  const batches = createBatches(db);
  for (const accountId of ['slow', 'quick']) {
    const about = { accountId, keyId: 'k', model: 'm', name: null, questions: null };
    await batches.receive({ ...about, id: accountId, createdAtMs: 1, expiresAtMs: 100 });
    for (let at = 0; at < pieces; at++) {
      const firstLine = at * linesPerPiece + 1;
      const content = Array.from({ length: linesPerPiece }, (_, line) => `row ${firstLine + line}`).join(
        '\n',
      );
      await batches.add(accountId, { firstLine, lines: linesPerPiece, content }, { leaseMs: 1_000 });
    }
    await batches.accept(accountId, pieces * linesPerPiece);
  }
  let waiting = 0;
  const worker = new BatchWorker({
    turns: createBatchTurns(db),
    batches,
    open: async ({ accountId }) => ({
      atOnce: 1,
      async answer(_text, line, signal) {
        if (accountId === 'slow') {
          waiting++;
          await new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          });
        }
        return { text: `{"line":${line},"x":1}`, usage: null };
      },
      refuse: (_text, line) => ({ text: `{"line":${line},"x":2}`, usage: null }),
    }),
    admit: async () => {},
    traffic: new Traffic(),
    parallel: 2,
    owner: 'test',
    isAlone: true,
    clock: createManualClock(5),
    retentionMs: 1_000,
    onError: (error) => assert.fail(String(error)),
  });
  worker.begin();
  const find = async (id: string) => ({ ...(await batches.find(id, id)) });
  const { status, failed } = await untilOver({ find }, 'quick');
  assert.deepEqual([status, failed], ['completed', pieces * linesPerPiece]);
  assert.equal(waiting, 2);
  assert.equal((await find('slow')).status, 'running');
  await worker.close();
});
