import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchReply, startScriptedNestor } from '../support/scripted-nestor.ts';
import { startServer } from '../support/server.ts';
import { jsonOf, openConsole } from './support.ts';

test('results are numbered, with address, date and the first lines', async (t) => {
  const scripted = await startScriptedNestor(t, { 'POST /search': searchReply });
  const { nestor } = openConsole(t);
  const api = { url: scripted.url, key: 'k-0123456789' };
  const { code, out } = await nestor(
    ['search', 'kea', '--query', 'parrot', '--max', '3', '--mode', 'academic'],
    { api },
  );
  assert.equal(code, 0);
  assert.match(out, /^\[1\] Kea \(2025-11-03\)\n +https:\/\/birds\.example\/kea\n +The kea is a parrot\.\n$/);
  assert.deepEqual(scripted.asked.at(-1)?.body, {
    query: ['kea', 'parrot'],
    max_results: 3,
    search_mode: 'academic',
  });
  const json = jsonOf<{ readonly id: string }>(await nestor(['search', 'kea', '--json'], { api }));
  assert.equal(json.id, 's1');
});

test('a real server searches its own index, and its refusals are told in one line', async (t) => {
  const { nestor } = openConsole(t);
  const api = await startServer(t);
  const found = await nestor(['search', 'xqzv unheard of', '--json'], { api });
  assert.deepEqual([found.code, found.err], [0, '']);
  assert.ok(Array.isArray(jsonOf<{ readonly results: unknown }>(found).results));
  const refused = await nestor(['search', 'x', '--max', '99'], { api });
  assert.equal(refused.code, 1);
  assert.match(refused.err, /^nestor: [^\n]+\(422, request [0-9a-f-]{36}\)\n$/);
  const wrong = await nestor(['search', 'x', '--mode', 'deep'], { api });
  assert.deepEqual([wrong.code, wrong.out], [2, '']);
});
