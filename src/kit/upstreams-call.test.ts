import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createManualClock } from '../../test/support/clock.ts';
import type { OutboundOutcome } from './outbound.ts';
import { failover, toFailure, unusable, type Attempt, type CallFailure } from './upstreams-call.ts';
import { createUpstreams } from './upstreams.ts';

const policy = { failuresMax: 3, coolDownMs: 100, coolDownMaxMs: 1_000 };

function rig(count: number) {
  const clock = createManualClock();
  const upstreams = createUpstreams(count, policy, clock);
  const aborting = new AbortController();
  const run = (attempt: (index: number, deadlineAt: number) => Attempt<string>) =>
    failover({ upstreams, clock, timeoutMs: 1_000, signal: aborting.signal }, (index, deadlineAt) =>
      Promise.resolve(attempt(index, deadlineAt)),
    );
  return { clock, upstreams, aborting, run };
}

const failed = (kind: CallFailure['kind'], alive = false): Attempt<string> => ({
  ok: false,
  failure: { ...unusable('x', alive), kind },
});

suite('failing over', () => {
  test('gives each upstream an even share of the time that is left, and the last all of it', async () => {
    const { clock, run } = rig(3);
    const shares: number[] = [];
    await run((index, deadlineAt) => {
      shares.push(deadlineAt - clock.monotonic());
      clock.advance(index === 0 ? 10 : 100);
      return failed('unusable');
    });
    assert.deepEqual(
      shares.map((share) => Math.round(share)),
      [333, 495, 890],
    );
  });

  test('tells the failure that gives most hope', async () => {
    const kinds = ['unusable', 'timeout', 'unavailable'] as const;
    const { run } = rig(3);
    const result = await run((index) => failed(kinds[index] ?? 'unusable'));
    assert.equal(!result.ok && result.failure.kind, 'unavailable');
    const two = await rig(2).run((index) => failed(kinds[index] ?? 'unusable'));
    assert.equal(!two.ok && two.failure.kind, 'timeout');
  });

  test('a server that only refused this request stays in', async () => {
    const { upstreams, run } = rig(1);
    for (let i = 0; i < 10; i++) await run(() => failed('unusable', true));
    assert.equal(upstreams.health(), 'ok');
  });

  test('what throws is no verdict on the server', async () => {
    const { upstreams, run } = rig(1);
    for (let i = 0; i < 10; i++) {
      const running = run(() => {
        throw new Error('gone');
      });
      await assert.rejects(running, { message: 'gone' });
    }
    assert.equal(upstreams.health(), 'ok');
  });

  test('with every breaker open nobody is asked, and the wait is told', async () => {
    const { clock, run } = rig(1);
    for (let i = 0; i < 3; i++) await run(() => failed('unusable'));
    clock.advance(40);
    const result = await run(() => assert.fail('was asked'));
    assert.ok(!result.ok);
    assert.deepEqual([result.failure.kind, result.failure.retryAfterMs], ['unavailable', 60]);
  });
});

test('an outcome is read as what a caller may hope for', () => {
  const read = (failure: (OutboundOutcome & { ok: false })['failure'], status: number | null = null) => {
    const { kind, retryable, alive } = toFailure(
      { ok: false, failure, status, headers: {}, body: null, cause: null },
      0,
    );
    return [kind, retryable, alive];
  };
  assert.deepEqual(read('connect'), ['unavailable', true, false]);
  assert.deepEqual(read('timeout'), ['timeout', false, false]);
  assert.deepEqual(read('cut', 200), ['unusable', true, false]);
  assert.deepEqual(read('not_json', 200), ['unusable', false, false]);
  assert.deepEqual(read('too_large', 200), ['unusable', false, false]);
  assert.deepEqual(read('status', 429), ['unavailable', true, true]);
  assert.deepEqual(read('status', 503), ['unavailable', true, false]);
  assert.deepEqual(read('status', 500), ['unusable', true, false]);
  for (const status of [301, 401, 403, 404]) {
    assert.deepEqual(read('status', status), ['unusable', false, false], `${status}`);
  }
  for (const status of [400, 413, 422]) {
    assert.deepEqual(read('status', status), ['unusable', false, true], `${status}`);
  }
});
