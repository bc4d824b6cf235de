import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { createManualClock } from '../../../test/support/clock.ts';
import { setImmediate as turn } from 'node:timers/promises';
import { Breakers } from './breakers.ts';
import { unusable, type CallFailure } from './call-failure.ts';
import { failover, type Attempt } from './upstreams-call.ts';

const policy = { failuresMax: 3, coolDownMs: 100, coolDownMaxMs: 1_000 };

function rig(t: TestContext, count: number) {
  const clock = createManualClock();
  const breakers = new Breakers<number>({ policy, clock, probe: () => Promise.resolve('away') });
  t.after(() => breakers.close());
  const indices = Array.from({ length: count }, (_, index) => index);
  const { signal } = new AbortController();
  const run = (attempt: (index: number, deadlineAt: number) => Attempt<string>, account?: string) =>
    failover({ breakers, indices, clock, timeoutMs: 1_000, signal, account }, (index, deadlineAt) =>
      Promise.resolve(attempt(index, deadlineAt)),
    );
  return { clock, breakers, run };
}

const failed = (kind: CallFailure['kind'], away = false): Attempt<string> => ({
  ok: false,
  failure: { ...unusable('x'), kind, away },
});

suite('failing over', () => {
  test('gives each upstream an even share of the time that is left, and the last all of it', async (t) => {
    const { clock, run } = rig(t, 3);
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

  test('tells the failure that gives most hope', async (t) => {
    const kinds = ['unusable', 'timeout', 'unavailable'] as const;
    const { run } = rig(t, 3);
    const result = await run((index) => failed(kinds[index] ?? 'unusable'));
    assert.equal(!result.ok && result.failure.kind, 'unavailable');
    const two = await rig(t, 2).run((index) => failed(kinds[index] ?? 'unusable'));
    assert.equal(!two.ok && two.failure.kind, 'timeout');
  });

  test('a server that only failed this request stays in', async (t) => {
    const { breakers, run } = rig(t, 1);
    for (let i = 0; i < 10; i++) await run(() => failed('unusable'));
    await turn();
    assert.equal(breakers.isResting(0), false);
  });

  test('what throws is no verdict on the server', async (t) => {
    const { breakers, run } = rig(t, 1);
    for (let i = 0; i < 10; i++) {
      const running = run(() => {
        throw new Error('gone');
      });
      await assert.rejects(running, { message: 'gone' });
    }
    await turn();
    assert.equal(breakers.isResting(0), false);
  });

  test('one that rests is passed by while another serves, and tried when none does', async (t) => {
    const { breakers, run } = rig(t, 2);
    breakers.rest(0);
    const asked: number[] = [];
    const note = (index: number) => {
      asked.push(index);
      return failed('unavailable', true);
    };
    await run(note);
    assert.deepEqual(asked, [1]);
    breakers.rest(1);
    await run(note);
    assert.deepEqual(asked, [1, 0, 1]);
  });

  test('when all rest the wait is told: of the next probe, or longer where a server asked for longer', async (t) => {
    const { clock, breakers, run } = rig(t, 1);
    breakers.rest(0);
    clock.advance(40);
    const waitOf = async (attempt: () => Attempt<string>) => {
      const result = await run(attempt);
      assert.ok(!result.ok);
      return [result.failure.kind, result.failure.retryAfterMs];
    };
    assert.deepEqual(await waitOf(() => failed('unavailable', true)), ['unavailable', 60]);
    const asking = { ...unusable('x'), kind: 'unavailable', retryAfterMs: 7_000 } as const;
    assert.deepEqual(await waitOf(() => ({ ok: false, failure: asking })), ['unavailable', 7_000]);
  });

  test('with enough calls trying a server that rests, further ones are told the wait at once', async (t) => {
    const { clock, breakers, run } = rig(t, 1);
    breakers.rest(0);
    clock.advance(40);
    const ends = Array.from({ length: 4 }, () => breakers.begin(0));
    const result = await run(() => assert.fail('was asked'));
    assert.ok(!result.ok);
    assert.deepEqual([result.failure.kind, result.failure.retryAfterMs], ['unavailable', 60]);
    const other = await run(() => ({ ok: true, value: 'answered' }), 'another');
    assert.ok(other.ok, 'another account tries it as well');
    for (const end of ends) end?.('unknown');
  });
});
