import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration, formatStep, latencyByModel, scaleOf } from './latency.ts';

const one = { requests: 1, input_tokens: 2, output_tokens: 3, cost_usd: 0.5 };

test('each day tells how long the models took that were asked most, and nothing for a day without', () => {
  const days = ['2026-02-27', '2026-02-28'];
  const totals = [
    { ...one, day: '2026-02-27', model: 'a', p50_ms: 3, p95_ms: 9 },
    { ...one, day: '2026-02-28', model: 'b', requests: 5, p50_ms: 40, p95_ms: 1_500 },
    { ...one, day: '2026-02-28', model: null, p50_ms: 7, p95_ms: 8 },
    // Of a time before durations were kept.
    { ...one, day: '2026-02-28', model: 'c', requests: 99, p50_ms: null, p95_ms: null },
  ];
  assert.deepEqual(latencyByModel(totals, days), {
    models: ['b', 'a', 'no model'],
    days: [
      { day: '2026-02-27', p50: [null, 3, null], p95: [null, 9, null] },
      { day: '2026-02-28', p50: [40, null, 7], p95: [1_500, null, 8] },
    ],
  });
  assert.deepEqual(latencyByModel([], days).models, []);
});

test('durations are told with two digits, in the unit that people use', () => {
  assert.deepEqual(
    [0.412, 9.96, 12.4, 999, 1_234, 59_000, 600_000].map((ms) => formatDuration(ms).replace('\u{A0}', ' ')),
    ['0.41 ms', '10 ms', '12 ms', '999 ms', '1.2 s', '59 s', '10 min'],
  );
});

test('a scale goes from the power of ten below all durations to that above', () => {
  assert.deepEqual(scaleOf([null, 12, 900]), [10, 100, 1_000]);
  assert.deepEqual(scaleOf([0.4]), [0.1, 1]);
  assert.deepEqual(
    [0.1, 100, 1_000_000].map((ms) => formatStep(ms).replace('\u{A0}', ' ')),
    ['0.1 ms', '100 ms', '1,000 s'],
  );
  assert.deepEqual(scaleOf([100]), [100, 1_000]);
});
