import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byDay, rangeOf, splitByModel, sumOf } from './totals.ts';

const now = Date.UTC(2026, 2, 1, 12);
const one = { requests: 1, input_tokens: 2, output_tokens: 3, cost_usd: 0.5 };

test('a range holds whole days of UTC, today included, over the end of a month', () => {
  const { from, days } = rangeOf('7 days', now);
  assert.deepEqual(days.slice(-3), ['2026-02-27', '2026-02-28', '2026-03-01']);
  assert.equal(days.length, 7);
  assert.equal(from, Date.UTC(2026, 1, 23) / 1_000);
});

test('days without requests are there with nothing', () => {
  const days = byDay([{ ...one, day: '2026-02-28' }], ['2026-02-27', '2026-02-28']);
  assert.deepEqual(
    days.map(({ day, requests }) => [day, requests]),
    [
      ['2026-02-27', 0],
      ['2026-02-28', 1],
    ],
  );
});

test('sums add every figure', () => {
  assert.deepEqual(sumOf([one, one]), { requests: 2, input_tokens: 4, output_tokens: 6, cost_usd: 1 });
});

test('a figure is split into the models that have most of it, in every day', () => {
  const totals = ['a', 'b.1', 'c', 'd', 'e', 'f', null].map((model, at) => ({
    ...one,
    model,
    requests: at + 1,
    day: at % 2 === 0 ? '2026-02-27' : '2026-02-28',
  }));
  const { models, days } = splitByModel(totals, ['2026-02-27', '2026-02-28'], ({ requests }) => requests);
  assert.deepEqual(models, ['no model', 'f', 'e', 'd', 'c', 'others']);
  assert.deepEqual(days, [
    { day: '2026-02-27', figures: [7, 0, 5, 0, 3, 1] },
    { day: '2026-02-28', figures: [0, 6, 0, 4, 0, 2] },
  ]);
});
