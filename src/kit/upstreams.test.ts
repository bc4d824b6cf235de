import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createManualClock } from '../../test/support/clock.ts';
import { closedBreaker, createUpstreams, nextBreaker, type Breaker, type BreakerEvent } from './upstreams.ts';

const policy = { failuresMax: 3, coolDownMs: 100, coolDownMaxMs: 350 };

function after(...events: readonly (BreakerEvent | number)[]): Breaker {
  let now = 0;
  let breaker = closedBreaker;
  for (const event of events) {
    if (typeof event === 'number') now += event;
    else breaker = nextBreaker(breaker, event, now, policy);
  }
  return breaker;
}

const fill = ['failure', 'failure', 'failure'] as const;

suite('a breaker', () => {
  test('opens with the failure that fills the count, and a success clears the count', () => {
    assert.equal(after('failure', 'failure').phase, 'closed');
    assert.deepEqual(after(...fill), { phase: 'open', until: 100, coolDownMs: 100 });
    assert.equal(after('failure', 'failure', 'success', 'failure', 'failure').phase, 'closed');
    assert.equal(after('failure', 'failure', 'abandon', 'take').phase, 'closed');
    assert.equal(after('trip').phase, 'open');
  });

  test('lets nothing through while it is open, then one probe', () => {
    assert.equal(after(...fill, 99, 'take').phase, 'open');
    assert.equal(after(...fill, 100, 'take').phase, 'half-open');
    assert.equal(after(...fill, 50, 'success').phase, 'open');
    assert.deepEqual(after(...fill, 50, 'failure'), after(...fill));
  });

  test('closes when the probe succeeds and opens twice as long, up to a bound, when it fails', () => {
    const probed = [...fill, 100, 'take'] as const;
    assert.deepEqual(after(...probed, 'success'), closedBreaker);
    assert.deepEqual(after(...probed, 'failure'), { phase: 'open', until: 300, coolDownMs: 200 });
    const twice = [...probed, 'failure', 200, 'take', 'failure'] as const;
    assert.deepEqual(after(...twice), { phase: 'open', until: 650, coolDownMs: 350 });
  });

  test('is due again at once when a probe was given up without a verdict', () => {
    assert.deepEqual(after(...fill, 100, 'take', 'abandon'), { phase: 'open', until: 100, coolDownMs: 100 });
  });
});

suite('several upstreams', () => {
  const create = (count: number) => {
    const clock = createManualClock();
    return { clock, upstreams: createUpstreams(count, policy, clock) };
  };
  const breakDown = (upstreams: ReturnType<typeof createUpstreams>, index: number) => {
    for (const event of fill) upstreams.report(index, event);
  };

  test('are tried in the order given; open ones are left out', () => {
    const { upstreams } = create(3);
    assert.deepEqual(upstreams.candidates(), [0, 1, 2]);
    breakDown(upstreams, 0);
    assert.deepEqual(upstreams.candidates(), [1, 2]);
  });

  test('one that is due comes last, and only one call gets it', () => {
    const { clock, upstreams } = create(2);
    breakDown(upstreams, 0);
    clock.advance(100);
    assert.deepEqual(upstreams.candidates(), [1, 0]);
    assert.deepEqual(upstreams.due(), [0]);
    assert.equal(upstreams.take(0), true);
    assert.equal(upstreams.take(0), false);
    assert.deepEqual(upstreams.candidates(), [1]);
    upstreams.report(0, 'success');
    assert.deepEqual(upstreams.candidates(), [0, 1]);
  });

  test('are down when none is closed, and tell the wait until the first is due', () => {
    const { clock, upstreams } = create(2);
    breakDown(upstreams, 0);
    assert.equal(upstreams.health(), 'ok');
    assert.equal(upstreams.waitMs(), 0);
    clock.advance(30);
    breakDown(upstreams, 1);
    assert.equal(upstreams.health(), 'down');
    assert.equal(upstreams.waitMs(), 70);
    clock.advance(70);
    upstreams.take(0);
    assert.equal(upstreams.health(), 'down', 'a probe is no recovery');
  });
});
