import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { withBaits } from '../../src/features/sandbox/probe.ts';
import { roundsOf } from '../support/rounds.ts';
import { describeRunner, type Check } from './suite.ts';

const own: Readonly<Record<string, Check>> = {
  async 'bash is not offered and is refused'({ run, runner }) {
    assert.deepEqual(runner.languages, ['python']);
    await assert.rejects(run('echo hi', { language: 'bash' }), { code: 'invalid_value' });
  },
};
// A run costs two seconds of CPU.
describeRunner('pyodide', own, { runsAtOnce: roundsOf(3, 8), step: 4 });

test('pyodide: a process of Node that refuses nothing is noticed before any code runs', async (t) => {
  const guest = new URL('../../src/features/sandbox/runners/pyodide/guest.ts', import.meta.url).pathname;
  await withBaits(async ({ file, port, isReached }) => {
    const child = spawn(process.execPath, ['--no-warnings', guest, 'snapshot', file, String(port)], {
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    });
    t.after(() => child.kill('SIGKILL'));
    const report = child.stdio[3];
    assert.ok(report);
    const [first] = (await once(report, 'data')) as [Buffer];
    const line = first.subarray(0, first.indexOf('\n')).toString();
    assert.deepEqual(JSON.parse(line), {
      allowed: ['files', 'processes', 'threads', 'inspector', 'tcp', 'udp'],
    });
    assert.ok(isReached());
  });
});
