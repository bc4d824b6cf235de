import assert from 'node:assert/strict';
import { test } from 'node:test';

import { measurePairs } from './measure.ts';
import { makePairs } from './pairs.ts';

/** A quarter of what `npm run bench verification` measures, without a decider, on pages by which nothing was chosen. */
test('altered sentences are told from true ones by their literals', async (t) => {
  const measured = await measurePairs(await makePairs('judged', 25), null);
  const told = JSON.stringify(measured);
  t.diagnostic(told);
  assert.equal(measured.pairs, 100);
  for (const kind of Object.values(measured.byKind)) {
    assert.ok(kind.auroc >= 0.98, told);
    assert.ok(kind.aurocReworded >= 0.9, told);
    assert.ok(kind.marked >= 0.8, told);
  }
  assert.equal(measured.markedUntouched, 0, told);
  assert.ok(measured.markedReworded <= 0.03, told);
});
