import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followLink, parseDocument, readme, toPath, toSource } from './address.ts';

const keys = { section: 'guide', page: 'keys' } as const;

test('an address of the console names a page, or the README', () => {
  assert.deepEqual(parseDocument('/guide/keys'), keys);
  for (const rest of ['', '/', '/guide', '/guide/../x', '/other/keys', '/guide/a/b'])
    assert.deepEqual(parseDocument(rest), readme, rest);
  assert.equal(toSource(keys), '/docs/guide/keys');
  assert.equal(toSource(readme), '/docs/README');
  assert.equal(toPath(readme), '/docs');
});

test('links between files of the repository become links between pages', () => {
  assert.equal(followLink(keys, 'configuration.md#keys'), '/docs/guide/configuration#keys');
  assert.equal(followLink(keys, '../reference/tokens.md'), '/docs/reference/tokens');
  assert.equal(followLink(keys, '#how'), '/docs/guide/keys#how');
  assert.equal(followLink(readme, 'docs/guide/keys.md'), '/docs/guide/keys');
  assert.equal(followLink(keys, '../../README.md'), '/docs');
});

test('what the server does not have leads nowhere', () => {
  for (const href of [
    '../../CONTRIBUTING.md',
    '../architecture.md',
    'https://example.com/docs/guide/keys.md',
    'javascript:alert(1)',
  ])
    assert.equal(followLink(keys, href), null, href);
});
