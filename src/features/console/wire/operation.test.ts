import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pageNames } from './operation.ts';

test('the server knows the pages that the console has', () => {
  const source = readFileSync(new URL('../../../../console/src/pages.tsx', import.meta.url), 'utf8');
  const names = [...source.matchAll(/^ {4}path: '\/([\w-]+)',$/gm)].map(([, name]) => name ?? '');
  assert.deepEqual(new Set(names), pageNames);
});
