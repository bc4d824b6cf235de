import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toSentences } from './sentences.ts';

test('marks of emphasis go, and what stands in code stays as it is', () => {
  const text = 'Give **globs** to the command: `--include "guide/**" __init__` reads them.';
  const [sentence] = toSentences([{ id: 1, title: 'Globs', url: 'https://example.com/', text }]);
  assert.equal(sentence?.text, 'Give globs to the command: `--include "guide/**" __init__` reads them.');
});
