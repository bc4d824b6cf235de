import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { lockFolder } from '../../../kernel/kit/folder-lock.ts';
import { temporaryFolder } from './ledger.fixture.ts';

const fixture = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** How a process gets process ids of its own, as in a container; null where the system allows none. */
function containerFlags(): readonly string[] | null {
  for (const flags of [
    ['--pid', '--fork'],
    ['--user', '--map-root-user', '--pid', '--fork'],
  ])
    if (spawnSync('unshare', [...flags, 'true']).status === 0) return flags;
  return null;
}

function inContainer(flags: readonly string[], file: string, args: readonly string[]): ChildProcess {
  return spawn('unshare', [...flags, '--kill-child', process.execPath, fixture(file), ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

async function adopt(flags: readonly string[], folder: string): Promise<{ pid: number; ids: string[] }> {
  const child = inContainer(flags, './adopt.fixture.ts', [folder]);
  const [told] = (await once(child, 'message')) as [{ pid: number; ids: string[] }];
  await once(child, 'exit');
  return told;
}

suite('the lock of a folder', () => {
  test('is held once, in this process as well, and can be had again when it is released', (t) => {
    const file = join(temporaryFolder(t), 'lock');
    const first = lockFolder(file);
    assert.ok(first !== null);
    assert.equal(lockFolder(file), null);
    first.release();
    const second = lockFolder(file);
    assert.ok(second !== null);
    second.release();
    assert.deepEqual(readdirSync(join(file, '..')), ['lock'], 'one file, and nothing beside it');
  });

  const flags = containerFlags();
  test(
    'two containers on one volume, both process 1: neither takes the rows of the other until it has gone',
    { skip: flags === null && 'the system lets this user make no process namespace' },
    async (t) => {
      const folder = temporaryFolder(t);
      const writer = inContainer(flags ?? [], './journal.fixture.ts', [folder, 'a']);
      t.after(() => writer.kill('SIGKILL'));
      const reported: string[] = [];
      writer.on('message', (id) => reported.push(id as string));
      while (reported.length < 100) await once(writer, 'message');
      const beside = await adopt(flags ?? [], folder);
      assert.deepEqual(beside, { pid: 1, ids: [] });
      // It lives, and what it writes is still where it belongs.
      const before = reported.length;
      while (reported.length < before + 20) await once(writer, 'message');
      writer.kill('SIGKILL');
      await once(writer, 'exit');
      const after = await adopt(flags ?? [], folder);
      assert.equal(after.pid, 1);
      assert.deepEqual(new Set(reported).difference(new Set(after.ids)).size, 0);
      assert.equal(new Set(after.ids).size, after.ids.length);
    },
  );
});
