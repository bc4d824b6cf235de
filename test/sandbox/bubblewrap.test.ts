import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeRunner } from './suite.ts';
import { tryRunner } from './support.ts';

describeRunner('bubblewrap', {
  async 'bash runs, with its exit code, files and the programs of the system'({ run }) {
    const code = 'echo "größe $((6 * 7))"; seq 3 | awk "{ s += \\$1 } END { print s }" > sum; pwd; exit 5';
    const result = await run(code, { language: 'bash' });
    assert.equal(result.stdout, 'größe 42\n/work\n', result.stderr);
    assert.deepEqual([result.status, result.exitCode], ['failed', 5]);
    assert.deepEqual(
      result.files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]),
      [['sum', '6\n']],
    );
  },

  async 'processes and pools of them run'({ run }) {
    const code = [
      'import multiprocessing, subprocess',
      'def square(x): return x * x',
      'if __name__ == "__main__":',
      '    print(multiprocessing.Pool(3).map(square, range(4)))',
      '    print(subprocess.run(["echo", "hi"], capture_output=True, text=True).stdout)',
    ].join('\n');
    const { stdout, stderr } = await run(code);
    assert.equal(stdout, '[0, 1, 4, 9]\nhi\n\n', stderr);
  },
});

test('bubblewrap: a run has a process limit of its own, whatever others have started', async (t) => {
  const tried = await tryRunner('bubblewrap', t, { runsMax: 12, waitingMax: 0 });
  if (tried === null) return;
  const code = [
    'import os, time',
    'started = 0',
    'try:',
    '    while True:',
    '        if os.fork() == 0:',
    '            time.sleep(3)',
    '            os._exit(0)',
    '        started += 1',
    'except OSError:',
    '    print(started)',
    '    time.sleep(2)',
  ].join('\n');
  const all = await Promise.all(Array.from({ length: 6 }, () => tried.run(code, {}, { processesMax: 20 })));
  for (const { stdout, stderr } of all) assert.match(stdout, /^(1[5-9]|20)\n$/, stderr);
});
