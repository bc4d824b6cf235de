import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { codePoint } from '../../../../../test/support/code-points.ts';
import { toPieces } from './index.ts';

test('pieces are six words each and together the text', () => {
  assert.deepEqual([...toPieces(' a b  c d e f\tg h \n')], [' a b  c d e f', '\tg h \n']);
  assert.deepEqual([...toPieces('')], []);
  fc.assert(
    fc.property(fc.string({ unit: codePoint, maxLength: 200 }), (text) => {
      const pieces = [...toPieces(text)];
      assert.equal(pieces.join(''), text.trim() === '' ? '' : text);
      for (const piece of pieces) assert.ok((piece.match(/\S+/g) ?? []).length <= 6);
    }),
  );
});
