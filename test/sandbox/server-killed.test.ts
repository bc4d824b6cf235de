import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { leaveOut } from './support.ts';
import { hangMs } from '../support/until.ts';

for (const name of ['bubblewrap', 'pyodide'] as const)
  test(`${name}: what runs dies with a server that is killed`, async (t) => {
    const server = spawn(process.execPath, [join(import.meta.dirname, 'endless.ts'), name], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => server.kill('SIGKILL'));
    const [told] = (await once(server.stdout, 'data')) as [Buffer];
    if (told.toString() !== 'running\n') return leaveOut(t, `${name}: ${told.toString()}`);
    const { pid } = server;
    assert.ok(pid !== undefined);
    const started = await until(() => {
      const below = treeBelow(pid);
      return below.length >= (name === 'bubblewrap' ? 4 : 1) ? below : null;
    });
    server.kill('SIGKILL');
    await until(() => (started.some(runs) ? null : started));
  });

async function until<Value>(look: () => Value | null): Promise<Value> {
  for (const from = performance.now(); performance.now() - from < hangMs; await pause(20)) {
    const found = look();
    if (found !== null) return found;
  }
  throw new Error('it did not come to that');
}

/** A process that has died keeps its entry until its parent, by now the first process of the machine, asks for it. */
function runs(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

function treeBelow(pid: number): readonly number[] {
  const below = childrenOf(pid);
  return [...below, ...below.flatMap(treeBelow)];
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1')
        .split(' ')
        .flatMap((text) => (text.trim() === '' ? [] : [Number(text)])),
    );
  } catch {
    return [];
  }
}
