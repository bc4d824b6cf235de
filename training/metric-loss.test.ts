import assert from 'node:assert/strict';
import { test } from 'node:test';

import { plainMetric, type Metric } from '../src/features/decisions/words/metric.ts';
import { createRandom } from '../src/features/decisions/evaluation/sample.ts';
import { pairingLoss, type Mix } from './metric-loss.ts';
import { carryBack, createSpace, type MetricSlopes } from './metric-space.ts';
import type { Bag, Word } from './vocabulary.ts';

const size = 6;
const rank = 2;
const random = createRandom(5);
const numbers = (count: number, scale = 1): number[] =>
  Array.from({ length: count }, () => scale * (random() - 0.5));

const words = Array.from({ length: 8 }, (_, i): Word => ({
  plain: Float64Array.from(numbers(size, 2)),
  weight: 0.3 + random(),
  share: random(),
  filler: i % 2,
  stem: i === 7 ? 'w6' : `w${i}`,
}));
const bag = (...at: number[]): Bag => ({
  words: words.filter((_, i) => at.includes(i)),
  factors: at.map(() => 0.5 + random()),
});
const left = [bag(0, 1, 6), bag(2, 3)];
const right = [bag(4, 7), bag(1, 5), bag(2)];
const mix: Mix = [3, 2, 4];

function slopesOf(metric: Metric): { loss: number; slopes: MetricSlopes } {
  const space = createSpace([...left, ...right], metric);
  const loss = pairingLoss(space, left, right, 'hypothesis', [0, 2], mix, new Float64Array(3));
  const weighting = () => ({ scalars: new Float64Array(3), vector: new Float64Array(size) });
  const slopes = {
    stretch: new Float64Array(size),
    reduce: new Float64Array(size * rank),
    expand: new Float64Array(size * rank),
    state: weighting(),
    hypothesis: weighting(),
  };
  carryBack(space, metric, slopes);
  return { loss, slopes };
}

test('the slopes of the loss are those of small steps', () => {
  const weighting = () => ({ bias: 0.1, rank: 0.2, filler: -0.1, vector: numbers(size, 0.3) });
  const metric: Metric = {
    ...plainMetric(size, rank),
    stretch: numbers(size, 0.2),
    reduce: numbers(size * rank),
    expand: numbers(size * rank),
    state: weighting(),
    hypothesis: weighting(),
  };
  const { slopes } = slopesOf(metric);
  const step = 1e-5;
  const check = (name: string, found: number, change: (by: number) => Metric): void => {
    const rise = (slopesOf(change(step)).loss - slopesOf(change(-step)).loss) / (2 * step);
    assert.ok(Math.abs(rise - found) < 1e-6 + 1e-3 * Math.abs(rise), `${name}: ${rise} ${found}`);
  };
  for (const part of ['stretch', 'reduce', 'expand'] as const) {
    slopes[part].forEach((slope, i) =>
      check(`${part} ${i}`, slope, (by) => ({
        ...metric,
        [part]: metric[part].map((x, k) => (k === i ? x + by : x)),
      })),
    );
  }
  for (const side of ['state', 'hypothesis'] as const) {
    const held = metric[side];
    check(`${side} bias`, slopes[side].scalars[0] ?? 0, (by) => ({
      ...metric,
      [side]: { ...held, bias: held.bias + by },
    }));
    slopes[side].vector.forEach((slope, i) =>
      check(`${side} ${i}`, slope, (by) => ({
        ...metric,
        [side]: { ...held, vector: held.vector.map((x, k) => (k === i ? x + by : x)) },
      })),
    );
  }
});
