import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { descriptorsOf } from '../../bench/support/soak-watch.ts';

const fixture = fileURLToPath(new URL('./soak-watch.fixture.ts', import.meta.url));

const name = 'the soak counts what a late thread holds apart, and a file that stays open as growth';
const skip = process.platform === 'linux' ? false : 'there is no /proc';

test(name, { skip }, async (t) => {
  const child = fork(fixture);
  t.after(() => child.kill());
  await once(child, 'message');
  const after = async (step: 'thread' | 'file') => {
    child.send(step);
    await once(child, 'message');
    return descriptorsOf(child.pid ?? 0);
  };
  const atFirst = await descriptorsOf(child.pid ?? 0);
  const withThread = await after('thread');
  assert.equal(withThread.threadHandles, atFirst.threadHandles + 5);
  assert.equal(withThread.handles, atFirst.handles);
  assert.equal(withThread.threads, atFirst.threads + 1);
  const withFile = await after('file');
  assert.deepEqual(withFile, { ...withThread, handles: withThread.handles + 1 });
});
