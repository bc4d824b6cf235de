import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { nextBreaker, servingBreaker, type Breaker, type BreakerEvent } from './breaker.ts';

const policy = { failuresMax: 3, coolDownMs: 100, coolDownMaxMs: 350 };

function after(...events: readonly (BreakerEvent | number)[]): Breaker {
  let now = 0;
  let breaker = servingBreaker;
  for (const event of events) {
    if (typeof event === 'number') now += event;
    else breaker = nextBreaker(breaker, event, now, policy);
  }
  return breaker;
}

const fill = ['away', 'away', 'away'] as const;

suite('a breaker', () => {
  test('calls that found a server away make it suspected and never more than that', () => {
    assert.deepEqual(after('away', 'away'), { phase: 'serving', failures: 2 });
    assert.deepEqual(after(...fill), { phase: 'suspected' });
    assert.deepEqual(after(...fill, ...fill, ...fill), { phase: 'suspected' });
  });

  test('an answer to anybody clears it', () => {
    assert.deepEqual(after('away', 'away', 'answered', 'away', 'away'), { phase: 'serving', failures: 2 });
    assert.deepEqual(after(...fill, 'answered'), servingBreaker);
    assert.deepEqual(after('probed-away', 'answered'), servingBreaker);
  });

  test('a probe that finds it away makes it rest, each further one twice as long up to a bound', () => {
    assert.deepEqual(after(...fill, 'probed-away'), { phase: 'resting', until: 100, coolDownMs: 100 });
    const twice = [...fill, 'probed-away', 100, 'probed-away'] as const;
    assert.deepEqual(after(...twice), { phase: 'resting', until: 300, coolDownMs: 200 });
    assert.deepEqual(after(...twice, 200, 'probed-away'), { phase: 'resting', until: 650, coolDownMs: 350 });
  });

  test('calls that try it while it rests and find it away move no probe', () => {
    assert.deepEqual(after('probed-away', 50, ...fill), after('probed-away'));
  });
});
