/**
 * Entry of a process of the suite: runs the test files that are its arguments, one after the other. Hooks of a file run
 * around its own tests, because its tests are parts of a test.
 */
import { resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

await import(new URL('../../bin/relative-imports.mjs', import.meta.url).href);
for (const path of process.argv.slice(2))
  test(path, async () => {
    await import(pathToFileURL(resolve(path)).href);
  });
