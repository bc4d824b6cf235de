import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createManualClock } from '../../../../test/support/clock.ts';
import { createLoads } from './load.ts';

function answer(
  loads: ReturnType<typeof createLoads>,
  clock: ReturnType<typeof createManualClock>,
  ms: number,
) {
  const call = loads.begin('a');
  clock.advance(ms);
  call.begun();
  call.over();
}

suite('loads of backends', () => {
  test('a call counts until it is over, and once', () => {
    const loads = createLoads(createManualClock());
    const calls = [loads.begin('a'), loads.begin('a'), loads.begin('b')];
    assert.deepEqual([loads.running('a'), loads.running('b'), loads.running('c')], [2, 1, 0]);
    for (const call of calls) {
      call.over();
      call.over();
    }
    assert.deepEqual([loads.running('a'), loads.running('b')], [0, 0]);
  });

  test('nothing is expected of who was never asked; a slow answer counts at once, a fast one little by little', () => {
    const clock = createManualClock();
    const loads = createLoads(clock);
    assert.equal(loads.expectedMs('a'), 0);
    answer(loads, clock, 400);
    assert.equal(loads.expectedMs('a'), 400);
    answer(loads, clock, 100);
    assert.ok(loads.expectedMs('a') > 350 && loads.expectedMs('a') < 400);
  });

  test('calls under way make one wait longer, and time makes measurements fade', () => {
    const clock = createManualClock();
    const loads = createLoads(clock);
    answer(loads, clock, 100);
    loads.begin('a');
    loads.begin('a');
    assert.equal(loads.expectedMs('a'), 300);
    clock.advance(60_000);
    assert.ok(loads.expectedMs('a') < 1);
  });

  test('a refusal within a millisecond does not look fast', () => {
    const clock = createManualClock();
    const loads = createLoads(clock);
    const call = loads.begin('a');
    clock.advance(1);
    call.failed();
    call.over();
    assert.equal(loads.expectedMs('a'), 1_000);
  });
});
