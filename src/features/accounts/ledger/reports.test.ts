import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestRecord } from '../../../kernel/http/request-record.ts';
import { reserveRequestRow, reserveRunRow } from './reports.ts';
import type { UsageRow } from '../store/usage-row.ts';

const billing = { model: 'lab/one', inputTokens: 1, outputTokens: 2, costParts: { input: 0.5 } };
const record = (requestId: string): RequestRecord => ({
  requestId,
  operation: 'createRouterMessage',
  status: 200,
  durationMs: 3,
  account: 'acme',
  key: 'k1',
  billing,
  fault: null,
});

function collect() {
  const rows: UsageRow[] = [];
  let nowMs = Date.UTC(2026, 10, 26);
  const clock = { now: () => nowMs++, monotonic: () => 0 };
  const keep = (row: UsageRow) => void rows.push(row);
  const keepInTurn = async (row: UsageRow) => keep(row);
  const meter = { reserve: () => ({ keep, keepInTurn, release: () => {} }) };
  return { rows, parts: { meter, clock } };
}

test('rows of requests have ids in the order of their time, whatever ids the requests have', async () => {
  const { rows, parts } = collect();
  for (const id of ['f00', '1aa', 'c0c', '000']) await reserveRequestRow(parts).keep(record(id));
  const ids = rows.map(({ id }) => id);
  assert.deepEqual(ids.toSorted(), ids);
  assert.deepEqual(
    rows.map(({ requestId }) => requestId),
    ['f00', '1aa', 'c0c', '000'],
  );
});

test('a row of a run is known by the id of the run, so that it is billed once', () => {
  const { rows, parts } = collect();
  const { account: accountId, key: keyId, status: _, fault: __, ...run } = record('resp_1');
  for (let times = 0; times < 2; times++)
    reserveRunRow(parts).keep({ ...run, accountId: accountId ?? '', keyId: keyId ?? '', billing });
  assert.deepEqual(
    rows.map(({ id }) => id),
    ['resp_1', 'resp_1'],
  );
});
