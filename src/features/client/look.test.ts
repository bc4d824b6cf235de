import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ApiError } from './api.ts';
import { lookUntilOver } from './look.ts';

/** One look after another: what it sees, or how it fails. */
function looks(outcomes: readonly (number | Error)[]) {
  const seen: number[] = [];
  let place = 0;
  const over = lookUntilOver<number>({
    look: async () => {
      const outcome = outcomes[place++] ?? new Error('one look too many');
      if (outcome instanceof Error) throw outcome;
      return Promise.resolve(outcome);
    },
    isOver: (found) => found === 9,
    onLook: (found) => seen.push(found),
    pollMs: [0, 1],
    signal: new AbortController().signal,
  });
  return { over, seen };
}

const away = new ApiError('away', { status: 503 });
const busy = new ApiError('busy', { status: 429 });

suite('looking until it is over', () => {
  test('four failures in a row are passed over, and counted anew after a look', async () => {
    const { over, seen } = looks([1, away, away, away, away, 2, away, away, away, away, 9]);
    assert.equal(await over, 9);
    assert.deepEqual(seen, [1, 2, 9]);
  });

  test('the fifth failure in a row is told', async () => {
    await assert.rejects(looks([away, away, away, away, away, 9]).over, away);
  });

  test('a server that asks to come later is not failing', async () => {
    assert.equal(await looks([...Array.from({ length: 12 }, () => busy), 9]).over, 9);
  });

  test('what will not pass is told at once', async () => {
    for (const final of [new ApiError('gone', { status: 404 }), new TypeError('a defect')])
      await assert.rejects(looks([final, 9]).over, final);
  });
});
