import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const lockDown = new URL('../../src/features/sandbox/runners/pyodide/lock-down.ts', import.meta.url).href;

/** Runs JavaScript in a process of its own, before and after it is locked down. */
function tryBoth(attempt: string): { readonly before: string; readonly after: string } {
  const script = `
    import { createRequire } from 'node:module';
    import { writeSync } from 'node:fs';
    import vm from 'node:vm';
    import { lockDown } from ${JSON.stringify(lockDown)};
    const require = createRequire(${JSON.stringify(lockDown)});
    const outcome = async () => {
      try { await (${attempt})(); return 'allowed'; } catch { return 'refused'; }
    };
    const before = await outcome();
    lockDown(() => {});
    writeSync(1, JSON.stringify({ before, after: await outcome() }));
    process.exit(0);`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--no-warnings', '--input-type=module', '-e', script],
    {
      encoding: 'utf8',
    },
  );
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout) as { readonly before: string; readonly after: string };
}

const attempts: Readonly<Record<string, string>> = {
  'loading a module': "() => import('node:sqlite')",
  'loading a module of Node by its short name': "() => import('os')",
  'requiring a module': "() => require('node:sqlite')",
  'requiring a module that is loaded already': "() => require('fs')",
  'loading a module from a script': `() => vm.runInThisContext("import('node:os')",
    { importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER })`,
  'a module out of the process': "() => process.getBuiltinModule('fs').statSync('/')",
  'a signal': '() => process.kill(process.pid, 0)',
  'a signal under its other name': '() => { if (process._kill(process.pid, 0) !== 0) throw new Error(); }',
  'the inside of Node': "() => process.binding('fs').open",
  'a report on the machine': '() => process.report.getReport().header',
  'a request': "() => fetch('data:,x')",
};
for (const [name, attempt] of Object.entries(attempts))
  test(`${name} works in a process and not in one that is locked down`, () => {
    assert.deepEqual(tryBoth(attempt), { before: 'allowed', after: 'refused' });
  });

test('what was taken away cannot be put back', () => {
  const attempt = "() => Object.defineProperty(process, 'kill', { value: () => true })";
  assert.deepEqual(tryBoth(attempt), { before: 'allowed', after: 'refused' });
});
