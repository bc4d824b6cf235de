import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createSigner } from './signer.ts';

test('only the text that was signed, with the secret that signed it, is good', () => {
  const signer = createSigner('one');
  const signature = signer.sign('page 7');
  assert.equal(signature.length, 43);
  assert.equal(signer.verify('page 7', signature), true);
  assert.equal(signer.verify('page 8', signature), false);
  assert.equal(createSigner('two').verify('page 7', signature), false);
  for (const altered of ['', 'x', `${signature}=`, `${signature} `, signature.slice(0, -1), `A${signature}`])
    assert.equal(signer.verify('page 7', altered), false, altered);
});
