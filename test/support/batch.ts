/**
 * Entry of a process of the suite: runs the test files that are its arguments, one after the other. Hooks of a file run
 * around its own tests, because its tests are parts of a test.
 */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { watchCosts } from './costs.ts';
import { keepRuntime } from './kept-wasm.ts';
import { watchProcess } from './leavings.ts';
import { closeShared, shareProcess } from './process-end.ts';
import { loadTests } from './test-scopes.ts';

// Before anything else loads it.
const { test } = await loadTests();
await import(new URL('../../bin/relative-imports.mjs', import.meta.url).href);
keepRuntime();
const paths = process.argv.slice(2);
const left: string[] = [];
const tellCost = watchCosts(process.env['NESTOR_TEST_COSTS']);
let look = () => Promise.resolve<readonly string[]>([]);

/** Looks when all hooks of the file before have run, and begins to watch the next one. */
async function lookAfter(before: string | undefined): Promise<void> {
  tellCost(before);
  for (const what of await look()) left.push(`${before}: ${what}`);
  look = watchProcess();
}

// None is waited for here: `node:test` takes a process that only waits for what does not keep it alive for ended.
for (const [at, path] of paths.entries())
  void test(path, async () => {
    await lookAfter(paths[at - 1]);
    await import(pathToFileURL(resolve(path)).href);
  });
if (paths.length === 1) process.once('exit', () => tellCost(paths[0]));
else {
  shareProcess();
  void test('each file leaves its process to the next one as it was', async () => {
    await lookAfter(paths.at(-1));
    await closeShared();
    assert.deepEqual(left, []);
  });
}
