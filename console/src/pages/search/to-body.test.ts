import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toBody } from './to-body.ts';

const form = { query: ' a ', domains: '', recency: null, mode: 'web', count: '10' };

test('what was not chosen is not sent', () => {
  assert.deepEqual(toBody(form), { query: 'a', max_results: 10 });
});

test('every choice is sent under the name of the interface', () => {
  const chosen = { ...form, domains: 'a.example, -b.example  c.example', recency: 'week', mode: 'academic' };
  assert.deepEqual(toBody(chosen), {
    query: 'a',
    max_results: 10,
    search_domain_filter: ['a.example', '-b.example', 'c.example'],
    search_recency_filter: 'week',
    search_mode: 'academic',
  });
});
