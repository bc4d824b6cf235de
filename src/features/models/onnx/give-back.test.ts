import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadTrim } from './give-back.ts';

const mb = 1_048_576;
/** Of which glibc has heaps; larger ones it takes from the system and returns by itself. */
const piece = 98_304;

test('what was freed between what is used returns to the system', async (t) => {
  const trim = await loadTrim();
  if (trim === null) {
    t.skip('needs glibc and Node.js 26.1');
    return;
  }
  const pieces = Array.from({ length: 1_000 }, () => new Uint8Array(piece).fill(1));
  for (const [index, { buffer }] of pieces.entries()) if (index % 2 === 0) buffer.transfer(0);
  const before = process.memoryUsage.rss();
  trim();
  const returned = before - process.memoryUsage.rss();
  assert.ok(returned > 30 * mb, `${returned / mb} of 47 MB`);
  assert.ok(pieces.every((bytes, index) => (bytes[0] ?? 0) === index % 2));
});
