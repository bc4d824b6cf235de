import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { unzipSync } from 'fflate';

import { startServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The moment at which the server that made the folder was closed; answers and jobs expire. */
const savedAtMs = Date.parse('2026-11-22T16:33:00Z');
const adminKey = 'old-admin-key-0123456789';
const account = 'acct-a2cc3694-ba56-46ce-b200-4a7ce113ae7c';
const accountKey = 'svc-SS2abLL7cJw2DnGr377fPVzHpGSjJDx1F3EHBnzby9c';
const token = 'svc-vfhPwRg7t6OxtlEwXT9ydIlsUGgFi8ksFthFqSazXEY';

/**
 * `before-features.zip` is the data folder of the server at commit 86f9f37, the last one before the tree of features: an
 * account with a purchase and a key, a token, a folder in the index, a skill, and one answer, job, decision and search.
 */
suite('a data folder of the server before the features', () => {
  test('opens with everything in it, under the keys and the configuration of before', async (t) => {
    const data = await temporaryFolder(t);
    const zip = readFileSync(new URL('./data/before-features.zip', import.meta.url));
    for (const [path, bytes] of Object.entries(unzipSync(zip))) {
      mkdirSync(dirname(join(data, path)), { recursive: true });
      writeFileSync(join(data, path), bytes);
    }
    const server = await startServer(t, {
      data,
      config: 'models: { writer: svc/svc }\nrate_limits: { enabled: false }\n',
      env: { NESTOR_ROOT_KEY: 'old-root-key-0123456789', NESTOR_ADMIN_KEY: adminKey },
      clock: { now: () => savedAtMs + performance.now(), monotonic: () => performance.now() },
    });
    const get = async (path: string, key = 'old-root-key-0123456789') => {
      const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } });
      assert.equal(response.status, 200, path);
      return (await response.json()) as Record<string, unknown>;
    };

    const { name, credits_purchased_usd, tier } = await get(`/admin/v1/accounts/${account}`, adminKey);
    assert.deepEqual(
      { name, credits_purchased_usd, tier },
      { name: 'Acme Ltd', credits_purchased_usd: 120, tier: 1 },
    );
    assert.equal((await get('/v1/account', accountKey))['id'], account);
    assert.deepEqual((await get('/admin/v1/usage/totals', adminKey))['data'], [
      { object: 'usage_total', requests: 4, input_tokens: 39, output_tokens: 67, cost_usd: 0.01015342 },
    ]);

    const skill = await get('/v1/skills/skill_G66xvIS2KQXZGRL6ta35RSmr');
    assert.equal(skill['revision'], 'rev_RUHKmK2EbsCjxLWh5QgPpPI5');
    const answer = await get('/v1/responses/resp_7a20a2eb-57a4-4925-a3e9-a76f4959663b');
    assert.deepEqual([answer['status'], answer['model']], ['completed', 'svc/svc']);
    const job = await get('/async/chat/completions/b524fe73-6f22-4830-a321-10b875279472');
    assert.equal(job['status'], 'COMPLETED');

    const found = await fetch(`${server.url}/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'Where does the heron stand?' }),
    });
    assert.equal(found.status, 200);
    const { results } = (await found.json()) as { readonly results: readonly { readonly url: string }[] };
    assert.equal(results[0]?.url, 'file:///var/tmp/handbook/herons.md');
  });
});
