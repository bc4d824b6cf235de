import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { suite, test } from 'node:test';
import { createAccountStorage } from '../../src/kernel/store/account-storage.ts';
import { startAgent } from '../support/agent.ts';
import { finish, scriptedModels, text } from '../support/models.ts';

const words = 'A kea is a parrot of the mountains, and it is green. ';

/** Tells so many pieces. */
const talker = (pieces: number) =>
  async function* talk() {
    for (let piece = 0; piece < pieces; piece++) yield [text(words.repeat(20))];
    yield finish();
  };

suite('what a run may leave in the store', () => {
  test('a run that would outgrow the quota of its account ends with that, and its events are not told on', async (t) => {
    const agent = await startAgent(t, {
      models: scriptedModels({ 'lab/a': talker(2_000) }),
      storageBytesMax: 200_000,
    });
    const response = await agent.ask({ model: 'lab/a', input: 'x' });
    assert.equal(response['status'], 'failed');
    assert.equal((response['error'] as { readonly code: string }).code, 'storage_quota_exceeded');
    const stored = await createAccountStorage(agent.database.db).bytesOf('acme');
    // The 2.1 million characters of the answer were cut where there was no more room.
    assert.ok(stored < 800_000, `${stored} bytes`);
  });

  test('runs of one account that fill its quota together all end', async (t) => {
    const endless = async function* talk() {
      for (;;) {
        // Unlike anything before, so that packing it wins nothing.
        yield [text(randomBytes(200).toString('base64'))];
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const agent = await startAgent(t, {
      models: scriptedModels({ 'lab/a': endless, 'lab/b': endless }),
      storageBytesMax: 1_000_000,
    });
    const all = await Promise.all(['lab/a', 'lab/b'].map((model) => agent.ask({ model, input: 'x' })));
    for (const response of all)
      assert.equal((response['error'] as { readonly code: string }).code, 'storage_quota_exceeded');
    const refused = await agent.refused({ model: 'lab/a', input: 'x' }, 413);
    assert.equal(refused['code'], 'storage_quota_exceeded');
  });

  test('an answer takes a few times its length, however often its events say it', async (t) => {
    const agent = await startAgent(t, { models: scriptedModels({ 'lab/a': talker(200) }) });
    const response = await agent.ask({ model: 'lab/a', input: 'x' });
    assert.equal(response['status'], 'completed');
    const stored = await createAccountStorage(agent.database.db).bytesOf('acme');
    const length = 200 * 20 * words.length;
    assert.ok(stored < 3 * length, `${stored} bytes for ${length} characters`);
  });
});
