import assert from 'node:assert/strict';
import { test } from 'node:test';

import { closeFences, endsInCode } from './fences.ts';

test('an excerpt that ends inside of code has its block closed', () => {
  assert.equal(closeFences('## Usage\n\n```js\nfetch()'), '## Usage\n\n```js\nfetch()\n```');
  assert.equal(closeFences('Call it:\n\n~~~~\nfetch()'), '~~~~\nCall it:\n\n~~~~\nfetch()');
  assert.equal(closeFences('# Usage\n\n~~~~\nfetch()'), '# Usage\n\n~~~~\nfetch()\n~~~~');
});

test('an excerpt that begins inside of code has its block opened', () => {
  assert.equal(closeFences('fetch()\n```\n\nIt fetches.'), '```\nfetch()\n```\n\nIt fetches.');
});

test('what begins and ends outside of code stays as it is', () => {
  for (const text of ['', 'No code.', '```js\na()\n```\n\nText.', '````md\n```js\na()\n```\n````'])
    assert.equal(closeFences(text), text);
});

test('an excerpt is known to end in code by its last fence', () => {
  assert.equal(endsInCode('```js\na()'), true);
  assert.equal(endsInCode('```js\na()\n```'), false);
  assert.equal(endsInCode('Text.'), false);
});
