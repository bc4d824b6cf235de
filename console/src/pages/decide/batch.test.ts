import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ApiFailure } from '../../api/failure.ts';
import type { Decision } from './answers.ts';
import {
  batchWidth,
  formatDuration,
  runBatch,
  secondsLeft,
  type BatchOptions,
  type Outcome,
} from './batch.ts';

const decision: Decision = { model: 'm', answers: {}, usage: { input_tokens: 1, output_tokens: 1 } };

suite('asking every row', () => {
  test('rows are asked four at a time, and each gets its outcome', async () => {
    let running = 0;
    let most = 0;
    const { outcomes, failure } = await runRows(50, {
      ask: async (row) => {
        most = Math.max(most, (running += 1));
        await setImmediate();
        running -= 1;
        if (row === 7) throw new ApiFailure('too long', 400, 'r', null);
        return decision;
      },
    });
    assert.equal(failure, null);
    assert.equal(most, batchWidth);
    assert.equal(outcomes.size, 50);
    assert.deepEqual(outcomes.get(7), { error: 'too long' });
  });

  test('a rate limit is waited for as long as the server says, once for all, and the row is asked again', async () => {
    const asked: number[] = [];
    const waits: number[] = [];
    const { outcomes, waited } = await runRows(8, {
      ask: async (row) => {
        asked.push(row);
        await setImmediate();
        if (asked.length <= batchWidth) throw new ApiFailure('slow down', 429, 'r', 3);
        return decision;
      },
      onWait: (waitMs) => waits.push(waitMs),
    });
    assert.deepEqual(waited, [3_000]);
    assert.equal(outcomes.size, 8);
    assert.equal(asked.length, 12);
    assert.equal(waits.at(-1), 0);
  });

  test('stopping leaves rows without an outcome, which can be asked later', async () => {
    const abort = new AbortController();
    const { outcomes, failure } = await runRows(100, {
      ask: async (row, signal) => {
        await setImmediate();
        if (row === 20) abort.abort();
        signal.throwIfAborted();
        return decision;
      },
      signal: abort.signal,
    });
    assert.equal(failure, null);
    assert.ok(outcomes.size >= 17 && outcomes.size <= 24, String(outcomes.size));
    assert.ok([...outcomes.values()].every((outcome) => outcome.error === undefined));
  });

  for (const status of [0, 401, 403])
    test(`with status ${status} no further row is asked`, async () => {
      let asked = 0;
      const { outcomes, failure } = await runRows(100, {
        ask: async () => {
          asked += 1;
          await setImmediate();
          throw new ApiFailure('no', status, null, null);
        },
      });
      assert.equal((failure as ApiFailure).status, status);
      assert.equal(outcomes.size, 0);
      assert.equal(asked, batchWidth);
    });

  test('nothing but failures ends it', async () => {
    const { outcomes, failure } = await runRows(1_000, {
      ask: async () => {
        await setImmediate();
        throw new ApiFailure('broken', 500, null, null);
      },
    });
    assert.equal((failure as ApiFailure).message, 'broken');
    assert.ok(outcomes.size < 30);
  });

  test('the time left follows from the speed so far', () => {
    assert.equal(secondsLeft(2, 100, 1_000), null);
    assert.equal(secondsLeft(10, 100, 1_000), 10);
    assert.deepEqual([12, 61, 7_200].map(formatDuration), ['12 s', '2 min', '2.0 h']);
  });
});

async function runRows(
  count: number,
  given: Pick<BatchOptions, 'ask'> & Partial<BatchOptions>,
): Promise<{ outcomes: Map<number, Outcome>; failure: unknown; waited: readonly number[] }> {
  const outcomes = new Map<number, Outcome>();
  const waited: number[] = [];
  const failure = await runBatch({
    rows: Array.from({ length: count }, (_, row) => row),
    onOutcome: (row, outcome) => outcomes.set(row, outcome),
    onWait: () => {},
    wait: async (waitMs) => {
      waited.push(waitMs);
      await setImmediate();
    },
    signal: new AbortController().signal,
    ...given,
  });
  return { outcomes, failure, waited };
}
