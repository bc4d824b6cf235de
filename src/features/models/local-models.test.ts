import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LocalModel } from './providers/local/engine.ts';
import { createLocalModels } from './local-models.ts';

function scripted(fails = 0) {
  const counts = { opened: 0, closed: 0, failures: fails };
  const open = createLocalModels(async () => {
    counts.opened++;
    if (counts.failures-- > 0) throw new Error('broken');
    const close = () => {
      counts.closed++;
      return Promise.resolve();
    };
    return { threads: 1, close } as LocalModel;
  });
  return { counts, open };
}

test('one file is opened once for all users, however it is written, and closes with its last user', async () => {
  const { counts, open } = scripted();
  const users = await Promise.all([open({ path: 'a.gguf' }), open({ path: './b/../a.gguf', gpu: false })]);
  assert.equal(counts.opened, 1);
  await users[0]?.close();
  await users[0]?.close();
  assert.equal(counts.closed, 0);
  await users[1]?.close();
  assert.equal(counts.closed, 1);
  await (await open({ path: 'a.gguf' })).close();
  assert.deepEqual([counts.opened, counts.closed], [2, 2]);
});

test('another file, or the same with a GPU, is another model', async () => {
  const { counts, open } = scripted();
  await Promise.all([
    open({ path: 'a.gguf' }),
    open({ path: 'b.gguf' }),
    open({ path: 'a.gguf', gpu: true }),
  ]);
  assert.equal(counts.opened, 3);
});

test('a file that could not be opened is tried again', async () => {
  const { counts, open } = scripted(1);
  await assert.rejects(Promise.all([open({ path: 'a.gguf' }), open({ path: 'a.gguf' })]), /broken/);
  await open({ path: 'a.gguf' });
  assert.equal(counts.opened, 2);
});
