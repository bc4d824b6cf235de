/**
 * The suite: `node test/run.ts` for what `npm test` runs, with a part or paths for less. Paths of sources stand for the
 * tests beside them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { batchesOf, filesOf, hasServer, partNames, root } from './support/suite-parts.ts';

/** Tests wait more than they compute. With one more, a quiet run took 9 min 4 s for 8 min 36 s, and 7 % more CPU time. */
const processes = availableParallelism() + 2;

/**
 * Collects garbage in the thread that made it: helpers have no core of their own here, and waiting for them costs a tenth
 * of the CPU time of a process that serves, a quarter on a busy machine (measured). Servers that tests start as a process
 * of their own run as users run them.
 */
const execArgv = ['--single-threaded-gc'];

const words = process.argv.slice(2);
const files = (words.length === 0 ? ['all'] : words).flatMap((word) => {
  if (word === 'all' || partNames.includes(word)) return filesOf(word);
  return [word.endsWith('.test.ts') ? word : word.replace(/\.tsx?$/, '.test.ts')];
});

// What was compiled is kept: a start costs a third of the CPU time (measured).
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules/.cache/nestor');
if (words.includes('long')) process.env['NESTOR_TEST_LONG'] = '1';

const counts = { tests: 0, pass: 0, fail: 0, skipped: 0, todo: 0 };
const startedMs = performance.now();
const output = new PassThrough({ objectMode: true });
// Errors are caught here: the test runner would take one for a failed test, of which nothing is told.
const reported = pipeline(output, new spec(), process.stdout, { end: false }).catch((error: unknown) => {
  process.exitCode = 1;
  process.stderr.write(`the reporter failed: ${inspect(error)}\n`);
});

// Servers serve it. What needs none runs in the meantime, in one process more than cores: in as many `npm run test:unit` took 20.6 s for 17.1.
const isConsoleBuilt = files.some((path) => hasServer.test(path)) ? buildConsole() : null;
const batches = batchesOf([...new Set(files)], availableParallelism() + 1);
await Promise.all(
  Array.from({ length: processes }, async () => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) await runBatch(batch);
  }),
);
const totals = { ...counts, duration_ms: Math.round(performance.now() - startedMs) };
for (const [name, total] of Object.entries(totals))
  output.write({ type: 'test:diagnostic', data: { nesting: 0, message: `${name} ${total}` } });
output.end();
await reported;

/** When its source has changed. False where that fails, and was told. */
async function buildConsole(): Promise<boolean> {
  const words = [join(root, 'bin/console.mjs'), '--strict'];
  const child = spawn(process.execPath, words, { stdio: 'inherit' });
  const [status] = (await once(child, 'exit')) as [number | null];
  if (status !== 0) process.exitCode = 1;
  return status === 0;
}

/**
 * Runs the files in one process, and passes on what it reports, a file at a time: the reporter knows only one nesting.
 * Where a machine runs the suite, its log has nothing but what failed.
 */
async function runBatch(paths: readonly string[]): Promise<void> {
  if (paths.some((path) => hasServer.test(path)) && (await isConsoleBuilt) === false) return;
  const left = new Set(paths);
  let held: TestEvent[] = [];
  const events = run({ files: [join(root, 'test/support/batch.ts')], argv: [...paths], execArgv, cwd: root });
  for await (const event of events as AsyncIterable<TestEvent>) {
    count(event);
    if (isReported(event)) held.push(event);
    if ((event.type !== 'test:pass' && event.type !== 'test:fail') || event.data.nesting > 0) continue;
    left.delete(event.data.name);
    for (const told of held) output.write(told);
    held = [];
  }
  for (const told of held) output.write(told);
  // A process that ends with success in the middle of its files.
  for (const path of left) {
    process.exitCode = 1;
    counts.fail++;
    output.write({
      type: 'test:stderr',
      data: { message: `${path}: its process ended before it was run\n` },
    });
  }
}

function isReported({ type, data }: TestEvent): boolean {
  if (type === 'test:summary' || type === 'test:plan' || (type === 'test:diagnostic' && data.nesting === 0))
    return false;
  return process.env['CI'] === undefined || type === 'test:fail' || type === 'test:stderr';
}

/** Counts tests, and not the files and suites that they are in; a suite that is left out whole counts as one. */
function count(event: TestEvent): void {
  if (event.type !== 'test:pass' && event.type !== 'test:fail') return;
  if (event.type === 'test:fail') process.exitCode = 1;
  const { nesting, details, skip, todo } = event.data;
  if ((details.type === 'suite' && skip === undefined) || (nesting === 0 && event.type === 'test:pass'))
    return;
  counts.tests++;
  if (skip !== undefined) counts.skipped++;
  else if (todo !== undefined) counts.todo++;
  else counts[event.type === 'test:pass' ? 'pass' : 'fail']++;
}
