import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';

import { linesOf } from './transfer-lines.ts';

test('lines and characters that are cut anywhere come whole', async () => {
  const text = 'é\n\n\u{1F600} two\r\nlast without end';
  for (const size of [1, 2, 3, 7, 100]) {
    const bytes = Buffer.from(text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.subarray(n * size, (n + 1) * size),
    );
    const lines = await Array.fromAsync(linesOf(Readable.from(pieces)));
    assert.deepEqual(lines, ['é', '', '\u{1F600} two\r', 'last without end']);
  }
  assert.deepEqual(await Array.fromAsync(linesOf(Readable.from(['a\n', 'b\n']))), ['a', 'b']);
  assert.deepEqual(await Array.fromAsync(linesOf(Readable.from([]))), []);
});

test('a line that never ends is given up', async () => {
  const endless = Readable.from(Array.from({ length: 100 }, () => 'x'.repeat(10)));
  await assert.rejects(Array.fromAsync(linesOf(endless, 50)), /^Error: import: a line is too long$/);
  assert.equal(endless.readableEnded, false);
});
