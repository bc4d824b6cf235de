/**
 * A server that is going to be killed: opens the runner of its first argument and runs code that never ends. It tells
 * that it runs, or why it cannot.
 */
import { openSandbox } from '../../src/features/sandbox/open-sandbox.ts';
import { limits } from './support.ts';

const name = process.argv[2] === 'pyodide' ? 'pyodide' : 'bubblewrap';
const sandbox = openSandbox({ config: { runner: name }, runsMax: 1, waitingMax: 0 });
const { unfit } = await sandbox.settled;
const runner = sandbox.current();
if (runner === null) {
  process.stdout.write(unfit.map(({ reason }) => reason).join('; '));
  process.exit();
}
const code = 'import time\nprint("x" * 20_000_000)\nwhile True: time.sleep(0.05)';
process.stdout.write('running\n');
await runner.run(
  { language: 'python', code, files: [], readOnlyFiles: [] },
  { ...limits, outputBytesMax: 1_000_000 },
  new AbortController().signal,
  'a',
);
