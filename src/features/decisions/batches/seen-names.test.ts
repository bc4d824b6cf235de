import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeenNames } from './seen-names.ts';

test('a name is known with its first line, however many came since', () => {
  const seen = new SeenNames();
  for (let line = 1; line <= 20_000; line++) assert.equal(seen.note(`name ${line}`, line), null);
  for (let line = 1; line <= 20_000; line += 7) assert.equal(seen.note(`name ${line}`, 30_000), line);
  assert.equal(seen.note('name 0', 30_001), null);
  assert.equal(seen.note('name 0', 30_002), 30_001);
});
