import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { root } from './suite-parts.ts';

test('a test is known to what it starts, without a hook that follows promises', () => {
  const fixture = 'test/support/test-scopes.fixture.ts';
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = spawnSync(process.execPath, ['--test-reporter=tap', 'test/support/batch.ts', fixture], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  const told = [...stdout.matchAll(/^( *)(ok|not ok) \d+ - (.*)$/gm)].map(
    ([, spaces = '', outcome, name]) => `${outcome} ${spaces.length / 4} ${name}`,
  );
  assert.deepEqual(
    told,
    [
      'not ok 2 thrown by a timer',
      'not ok 2 thrown behind a promise',
      'ok 3 knows its own name',
      'not ok 3 fails alone',
      'not ok 2 a test in a test, behind what was waited for',
      'ok 3 one',
      'ok 3 another',
      'ok 2 two at once',
      'not ok 1 what happens in a test is told of it',
      'ok 1 hooks of a suite are its own',
      'ok 1 no hook follows a promise',
      `not ok 0 ${fixture}`,
    ],
    stdout,
  );
});
