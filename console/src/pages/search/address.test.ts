import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyForm, fromAddress, toAddress } from './address.ts';

test('a search comes back from its address, and what was not chosen is not in it', () => {
  const form = { query: 'kea & co', domains: 'a.example', recency: 'week', mode: 'sec', count: '3' };
  assert.deepEqual(fromAddress(new URLSearchParams(toAddress(form))), form);
  assert.deepEqual(toAddress({ ...emptyForm, query: 'kea' }), { q: 'kea' });
});

test('what no field has is left out', () => {
  const params = new URLSearchParams('q=kea&newer=decade&in=moon&results=1000');
  assert.deepEqual(fromAddress(params), { ...emptyForm, query: 'kea' });
});
