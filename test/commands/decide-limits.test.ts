import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ApiError, type PublishedApi } from '../../src/features/client/api.ts';
import { decideCsv, type Pause } from '../../src/features/client/commands/decide-csv.ts';
import { openClient } from '../../src/features/client/open-client.ts';
import { createManualClock } from '../support/clock.ts';
import { roundsOf } from '../support/rounds.ts';
import { startServer } from '../support/server.ts';

const rowCount = 500;
/** Every table after the first finds an empty bucket. */
const tables = roundsOf(4, 10);

/**
 * A clock that a command and its server share. It stands still while a request is under way, and goes on to the end of the
 * shortest wait when all that is left is waiting: nobody waits for less than was asked for, and the test for nothing.
 */
function createSharedTime() {
  const clock = createManualClock();
  const waiting: { readonly atMs: number; readonly wake: () => void }[] = [];
  let underWay = 0;
  let refused = 0;
  const goOn = () => {
    // What an answer sets off has begun by then.
    setImmediate(() => {
      if (underWay > 0 || waiting.length === 0) return;
      waiting.sort((one, other) => one.atMs - other.atMs);
      const next = waiting.shift();
      clock.advance(Math.max(0, (next?.atMs ?? 0) - clock.monotonic()));
      next?.wake();
      goOn();
    });
  };
  const wait: Pause = (ms) =>
    new Promise((resolve) => {
      waiting.push({ atMs: clock.monotonic() + ms, wake: resolve });
      goOn();
    });
  const watch = (api: PublishedApi): PublishedApi => ({
    ...api,
    async call(request) {
      underWay++;
      try {
        return await api.call(request);
      } catch (error) {
        if (error instanceof ApiError && error.status === 429) refused++;
        throw error;
      } finally {
        underWay--;
        goOn();
      }
    },
  });
  return { clock, wait, watch, refused: () => refused };
}

test(`${rowCount} rows by nestor decide --csv under the default limits, ${tables} in a row: every file is complete`, async (t) => {
  const { clock, wait, watch, refused } = createSharedTime();
  const server = await startServer(t, { clock });
  const client = openClient({ url: () => server.url, key: server.key, connectionsMax: 4 });
  t.after(() => client.close());
  const cwd = mkdtempSync(join(tmpdir(), 'nestor-tables-'));
  t.after(() => rmSync(cwd, { recursive: true, force: true }));
  const rows = Array.from({ length: rowCount }, (_, row) => `message ${row}: I want my money back`);
  writeFileSync(join(cwd, 'in.csv'), `text\n${rows.join('\n')}\n`);

  for (let table = 0; table < tables; table++) {
    const out = `out-${table}.csv`;
    const written: string[] = [];
    const terminal = { write: (text: string) => void written.push(text) };
    const code = await decideCsv(
      watch(client),
      {
        csv: 'in.csv',
        columns: ['text'],
        out,
        questions: { refund: { type: 'noul', instructions: 'Is the customer asking for money back?' } },
        model: 'svc-decider-v1-27b',
        // As without the option.
        concurrency: 4,
        json: false,
      },
      { cwd, out: terminal, err: terminal, clock, signal: new AbortController().signal },
      wait,
    );
    assert.equal(code, 0, written.join(''));
    const [head, ...lines] = readFileSync(join(cwd, out), 'utf8').trimEnd().split('\n');
    assert.equal(head, 'text,refund,error');
    assert.deepEqual(
      lines.map((line) => line.replace(/,0\.\d+,$/, '')),
      rows,
    );
  }
  assert.ok(refused() > 0, 'the limits were never met');
  t.diagnostic(
    `${refused()} requests were refused and came back, in ${clock.monotonic() / 1_000} s of the clock`,
  );
});
