import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutProgress, formatRate } from './about.ts';
import type { Batch } from './wire.ts';

const begun: Batch = {
  id: 'batch_1',
  status: 'running',
  model: 'svc-decider-v1-27b',
  name: 'rows.jsonl',
  rows: { total: 5_000, answered: 1_200, failed: 34, left: 3_766 },
  progress: 0.2468,
  rows_per_second: 812.4,
  seconds_left: 130,
  waiting_for: null,
  usage: { input_tokens: 1, output_tokens: 1 },
  created_at: '',
  ended_at: null,
  expires_at: '',
};

test('progress is told with rate and time left, as far as they are known', () => {
  assert.equal(
    aboutProgress(begun),
    '1,234 of 5,000 rows · 34 with errors · 812 rows a second · about 3 min left',
  );
  const rows = { total: 1, answered: 0, failed: 0, left: 1 };
  assert.equal(aboutProgress({ ...begun, rows, rows_per_second: null, seconds_left: null }), '0 of 1 row');
  assert.equal(formatRate(2.345), '2.3 rows a second');
});
