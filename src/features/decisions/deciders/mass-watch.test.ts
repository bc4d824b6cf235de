import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { countMasses } from '../calibration.ts';
import { createRandom } from '../evaluation/sample.ts';
import { MassWatch, type MassChange } from './mass-watch.ts';

/** Masses as a model has them that understands what it is asked, and as one that does not. */
const sound = (random: () => number) => 1 - 0.08 * random() ** 3;
const lost = (random: () => number) => 0.3 + 0.6 * random();

function openWatch(seed: number) {
  const changes: MassChange[] = [];
  const watch = new MassWatch({
    clock: { now: () => 1_000, monotonic: () => 0 },
    onChange: (change) => changes.push(change),
  });
  const random = createRandom(seed);
  const baseline = countMasses(Array.from({ length: 400 }, () => sound(random)));
  return { changes, watch, random, count: watch.begin(['careful', 'alias'], baseline) };
}

suite('label mass against the time of the fit', () => {
  test('is told where it falls, once, and where it is again as it was', () => {
    const { changes, watch, random, count } = openWatch(1);
    for (let row = 0; row < 500; row++) count(sound(random));
    assert.deepEqual(changes, []);
    assert.equal(watch.figures('alias')?.sinceMs, null);
    for (let row = 0; row < 1_000; row++) count(lost(random));
    assert.deepEqual(
      changes.map(({ decider, hasBegun }) => [decider, hasBegun]),
      [['careful', true]],
    );
    const told = watch.figures('alias');
    assert.equal(told?.baseline, 400);
    assert.equal(told?.sinceMs, 1_000);
    assert.ok(told.difference.z > 4 && told.difference.psi > 0.1);
    for (let row = 0; row < 1_500; row++) count(sound(random));
    assert.deepEqual(
      changes.map(({ hasBegun }) => hasBegun),
      [true, false],
    );
  });

  test('is not told of where nothing has changed', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const { changes, random, count } = openWatch(seed);
      for (let row = 0; row < 2_000; row++) count(sound(random));
      assert.deepEqual(changes, [], `seed ${seed}`);
    }
  });

  test('is not known of a decider without a fit that has it', () => {
    assert.equal(openWatch(1).watch.figures('other'), null);
  });
});
