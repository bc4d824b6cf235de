import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { filesOf, partNames, root } from './support/suite-parts.ts';

const everyTest = globSync('**/*.test.{ts,tsx,mts,js,mjs}', {
  cwd: root,
  exclude: (path) => ['node_modules', 'dist', '.git'].includes(path.split('/').at(-1) ?? ''),
}).map((path) => path.replaceAll('\\', '/'));

suite('the parts of the suite', () => {
  test('every file with tests belongs to a script that decides whether a change lands', () => {
    const gate = readFileSync(`${root}.ci/run`, 'utf8').split('\n');
    assert.ok(gate.includes('npm test -- all long'));
    assert.deepEqual(
      [...filesOf('all'), ...filesOf('long')].filter((path, at, all) => all.indexOf(path) === at).sort(),
      everyTest.sort(),
    );
  });

  test('every part has a script and files', () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    assert.equal(scripts['test'], 'node test/run.ts');
    for (const part of partNames.filter((name) => name !== 'server')) {
      assert.equal(scripts[`test:${part}`], `npm test -- ${part}`);
      assert.ok(filesOf(part).length > 5, part);
    }
  });

  test('rounds that are more in the long run are part of it, and of the usual run as well', () => {
    const usual = new Set(filesOf('all'));
    const long = filesOf('long');
    assert.ok(long.includes('test/e2e/kill-accounts.test.ts') && usual.has('test/e2e/kill-accounts.test.ts'));
    assert.ok(long.length < usual.size / 10, 'the long run is a small part');
  });
});
