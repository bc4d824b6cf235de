import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createFailureLog, type FailureLine } from './failure-log.ts';

test('of failures of one kind one line is written in a while, with how many were like it', () => {
  let now = 0;
  const lines: FailureLine[] = [];
  const onFailure = createFailureLog((line) => lines.push(line), { now: () => 0, monotonic: () => now });
  const cause = new Error('why');
  for (let n = 0; n < 100; n++) onFailure('search', new Error('what', { cause }));
  onFailure('page', new Error('other'));
  now = 10_000;
  onFailure('search', 'odd');
  assert.deepEqual(
    lines.map(({ what, unlogged }) => [what, unlogged]),
    [
      ['search', 0],
      ['page', 0],
      ['search', 99],
    ],
  );
  assert.equal(lines[0]?.err, cause);
  assert.equal(lines[2]?.err, 'odd');
});
