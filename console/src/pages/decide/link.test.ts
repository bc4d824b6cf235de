import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromHash, toHash } from './link.ts';

test('a request comes back from its address, which no part of it breaks', async () => {
  const request = {
    model: 'svc-decider-v1-27b',
    state: 'ünïcødé 🙂 & # % "quoted"',
    questions: { refund: { type: 'noul', instructions: 'Is it?' } },
  };
  const hash = await toHash(request);
  assert.match(hash, /^#ask=[\w-]+$/);
  assert.deepEqual(JSON.parse((await fromHash(hash)) ?? ''), request);
});

test('what is no such address asks nothing', async () => {
  for (const hash of ['', '#main', '#ask=', '#ask=!!', '#ask=AAAA'])
    assert.equal(await fromHash(hash), null, hash);
});
