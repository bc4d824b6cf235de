import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '../../src/kernel/faults.ts';
import type { Model, ModelEvent, ModelRequest, Provider } from '../../src/features/models/model.ts';
import { turnTimers } from '../support/timers.ts';
import { until } from '../support/until.ts';
import type { Script, ScriptedProvider } from './suite.ts';

interface TimeDependencies extends Pick<ScriptedProvider, 'open'> {
  readonly firstModel: (provider: Provider) => Model;
  readonly faultOf: (work: Promise<unknown>) => Promise<Fault>;
  /** What is asked of every model. */
  readonly asked: ModelRequest;
  readonly usage: Script['usage'];
  /** The longest silence of a backend that no test waits for. */
  readonly long: number;
}

/** What holds for the time that every provider gives a backend, and for callers that leave. */
export function timeTests({ open, firstModel, faultOf, asked, usage, long }: TimeDependencies): void {
  /** Reads a stream beside the test, which looks at what has come so far. */
  function reading(provider: Provider, signal: AbortSignal = new AbortController().signal) {
    const seen: ModelEvent[] = [];
    const read = async () => {
      for await (const batch of firstModel(provider).stream(asked, signal)) seen.push(...batch);
    };
    return { seen, ended: read() };
  }

  test('silence ends with a timeout, before and after the first output', async (t) => {
    for (const answer of ['hang', { says: [{ text: 'The kea' }], ends: 'silence', usage }] as const) {
      const { provider } = await open(t, answer, 150);
      assert.equal((await faultOf(reading(provider).ended)).code, 'gateway_timeout');
    }
  });

  test('bytes that complete no event are no sign of life, before and after the first output', async (t) => {
    const { tick } = turnTimers(t);
    for (const answer of ['drip', { says: [{ text: 'The kea' }], ends: 'drip', usage }] as const) {
      const { provider, asked: requests, released } = await open(t, answer, 1_000);
      const { seen, ended } = reading(provider);
      const fault = faultOf(ended);
      await until(() => (answer === 'drip' ? requests() === 1 : seen.length > 0));
      tick(1_000);
      const { code, away } = await fault;
      assert.deepEqual([code, away], ['gateway_timeout', answer === 'drip']);
      await released();
    }
  });

  test('a whole answer has an end, however lively the backend is', async (t) => {
    const { provider, released } = await open(
      t,
      { says: [{ text: 'The kea' }], ends: 'endless', usage },
      long,
      1_000,
    );
    const { tick } = turnTimers(t);
    const { seen, ended } = reading(provider);
    const fault = faultOf(ended);
    await until(() => seen.length > 2);
    tick(1_000);
    const { code, away } = await fault;
    assert.deepEqual([code, away], ['gateway_timeout', false]);
    await released();
  });

  test('an abort rejects with its reason and lets the backend go', async (t) => {
    for (const answer of ['hang', { says: [{ text: 'The kea' }], ends: 'silence', usage }] as const) {
      const { provider, asked: requests, released } = await open(t, answer, long);
      const aborting = new AbortController();
      const { seen, ended } = reading(provider, aborting.signal);
      const rejected = assert.rejects(ended, { message: 'gone' });
      await until(() => (answer === 'hang' ? requests() === 1 : seen.length > 0));
      aborting.abort(new Error('gone'));
      await rejected;
      await released();
      assert.equal(requests(), 1, 'an abort is not retried');
    }
  });

  test('a consumer that leaves early lets the backend go', async (t) => {
    const { provider, released } = await open(
      t,
      { says: [{ text: 'The kea' }], ends: 'silence', usage },
      long,
    );
    for await (const batch of firstModel(provider).stream(asked, AbortSignal.timeout(long))) {
      assert.ok(batch.length > 0);
      break;
    }
    await released();
  });
}
