import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createManualClock } from '../../../test/support/clock.ts';
import { backoffMs, insist, retryAfterMs, retrying, type RetryVerdict } from './retry.ts';
import { settle } from '../../../test/support/until.ts';

const policy = { retriesMax: 3, baseMs: 100, capMs: 1_000, retryAfterMaxMs: 5_000 };

/** Runs on a clock that the waits turn; every attempt takes 10 ms. */
function rig(random: () => number = () => 1) {
  const clock = createManualClock();
  const waits: number[] = [];
  const aborting = new AbortController();
  const sleep = (ms: number) => {
    waits.push(ms);
    clock.advance(ms);
    return Promise.resolve();
  };
  const run = (verdicts: readonly RetryVerdict[], deadlineMs = 60_000) => {
    const bounds = { deadlineAt: clock.monotonic() + deadlineMs, signal: aborting.signal };
    const attempt = (retry: number) => {
      clock.advance(10);
      return Promise.resolve(retry);
    };
    return retrying(attempt, (retry) => verdicts[retry] ?? 'done', policy, { clock, random, sleep }, bounds);
  };
  return { run, waits, aborting };
}

const again: RetryVerdict = { afterMs: null };

suite('retrying', () => {
  test('waits grow twofold up to the cap, and spread evenly from zero', () => {
    const bounds = [0, 1, 2, 3, 4, 5].map((retry) => backoffMs(policy, retry, () => 1));
    assert.deepEqual(bounds, [100, 200, 400, 800, 1_000, 1_000]);
    assert.equal(
      backoffMs(policy, 2, () => 0.25),
      100,
    );
  });

  test('ends with the first outcome that is done', async () => {
    const { run, waits } = rig();
    assert.equal(await run([again, again, 'done']), 2);
    assert.deepEqual(waits, [100, 200]);
  });

  test('returns the last outcome when the retries are used up', async () => {
    const { run, waits } = rig();
    assert.equal(await run([again, again, again, again, again]), 3);
    assert.equal(waits.length, 3);
  });

  test('never comes back before the server asked for it', async () => {
    const { run, waits } = rig();
    await run([{ afterMs: 3_000 }, { afterMs: 0 }]);
    assert.deepEqual(waits, [3_100, 200]);
  });

  test('a server that asks for a longer wait than the cap is not waited for', async () => {
    const { run, waits } = rig();
    assert.equal(await run([{ afterMs: 5_001 }]), 0);
    assert.deepEqual(waits, []);
  });

  test('no wait passes the deadline', async () => {
    const { run, waits } = rig();
    assert.equal(await run([again, again, again], 310), 1);
    assert.deepEqual(waits, [100]);
  });

  test('an abort is thrown and never retried', async () => {
    const { run, aborting } = rig();
    aborting.abort(new Error('gone'));
    await assert.rejects(run([again]), { message: 'gone' });
  });

  test('the real wait ends with the abort', async () => {
    const aborting = new AbortController();
    const clock = { now: () => 0, monotonic: () => performance.now() };
    const running = retrying(
      () => Promise.resolve(0),
      () => ({ afterMs: 5_000 }),
      policy,
      { clock, random: () => 1 },
      { deadlineAt: Number.POSITIVE_INFINITY, signal: aborting.signal },
    );
    await settle();
    aborting.abort(new Error('gone'));
    await assert.rejects(running, { message: 'gone' });
  });

  test('what an attempt throws is thrown', async () => {
    const clock = createManualClock();
    const failing = retrying(
      () => Promise.reject(new Error('broken')),
      () => again,
      policy,
      { clock, random: () => 0 },
      { deadlineAt: 1e9, signal: new AbortController().signal },
    );
    await assert.rejects(failing, { message: 'broken' });
  });
});

test('Retry-After is read as milliseconds, seconds or a date, and rubbish is none', () => {
  const now = Date.parse('2026-11-20T12:00:00Z');
  const read = (headers: Record<string, string | string[]>) => retryAfterMs(headers, now);
  assert.equal(read({ 'retry-after-ms': '250', 'retry-after': '9' }), 250);
  assert.equal(read({ 'retry-after': '1.5' }), 1_500);
  assert.equal(read({ 'retry-after': 'Fri, 20 Nov 2026 12:00:07 GMT' }), 7_000);
  assert.equal(read({ 'retry-after': 'Fri, 20 Nov 2026 11:00:00 GMT' }), 0);
  for (const value of ['', 'soon', '-1', 'NaN']) assert.equal(read({ 'retry-after': value }), null, value);
  assert.equal(read({}), null);
});

suite('insist', () => {
  /** Fails so many times; each try takes `tookMs`. */
  function tries(failures: number, tookMs: number) {
    const clock = createManualClock();
    const aborting = new AbortController();
    let count = 0;
    const write = (): Promise<void> => {
      clock.advance(tookMs);
      return count++ < failures ? Promise.reject(new Error(`try ${count}`)) : Promise.resolve();
    };
    const run = () => insist(write, { clock, forMs: 1_000, signal: aborting.signal });
    return { run, aborting, count: () => count };
  }

  test('a write that fails at first is made again', async () => {
    const { run, count } = tries(1, 10);
    await run();
    assert.equal(count(), 2);
  });

  test('no try begins when the time is over, and the last error is told', async () => {
    const { run, count } = tries(9, 960);
    await assert.rejects(run(), /try 1/);
    assert.equal(count(), 1);
  });

  test('an aborted signal ends it with the first failure, and lets a write succeed', async () => {
    const failing = tries(9, 10);
    failing.aborting.abort();
    await assert.rejects(failing.run(), /try 1/);
    const fine = tries(0, 10);
    fine.aborting.abort();
    await fine.run();
  });
});
