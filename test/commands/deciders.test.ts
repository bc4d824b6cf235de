import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { startServer } from '../support/server.ts';
import { jsonOf, openConsole } from './support.ts';

async function open(t: TestContext) {
  const opened = openConsole(t);
  const api = await startServer(t);
  const deciders = (...argv: readonly string[]) => opened.nestor(['deciders', ...argv], { api });
  const write = (name: string, text: string) => writeFileSync(join(opened.folder, name), text);
  return { deciders, write };
}

suite('nestor deciders', () => {
  test('one is set, listed, shown and deleted', async (t) => {
    const { deciders, write } = await open(t);
    write('quick.json', '{ "engine": "words", "abstain": 0.2 }');
    write('careful.json', '{ "cascade": [{ "decider": "quick" }, { "decider": "svc-decider-v1-27b" }] }');
    const done = await deciders('set', 'quick', 'quick.json');
    assert.deepEqual([done.code, done.out], [0, 'Set quick\n']);
    const made = jsonOf<{ readonly name: string }>(
      await deciders('set', 'careful', 'careful.json', '--json'),
    );
    assert.equal(made.name, 'careful');
    const { out } = await deciders('ls');
    const lines = out.trimEnd().split('\n');
    assert.match(lines[0] ?? '', /^NAME +OWNER +ASKS +UPDATED$/);
    assert.match(lines[1] ?? '', /^svc-decider-v1-27b +operator +\w+ +-$/);
    assert.match(lines[2] ?? '', /^careful +account +quick > svc-decider-v1-27b +20/);
    assert.match(lines[3] ?? '', /^quick +account +words +20/);
    assert.deepEqual(jsonOf(await deciders('show', 'careful')), made);
    const used = await deciders('rm', 'quick');
    assert.equal(used.code, 1);
    assert.match(used.err, /cascade of "careful" asks "quick"/);
    assert.deepEqual((await deciders('rm', 'careful')).out, 'Deleted careful\n');
    assert.deepEqual(jsonOf(await deciders('rm', 'quick', '--json')), { name: 'quick', deleted: true });
    assert.equal((await deciders('show', 'quick')).code, 1);
  });

  test('a file that is no definition is refused before anything is sent, or by the server in one line', async (t) => {
    const { deciders, write } = await open(t);
    write('list.json', '[]');
    write('half.json', '{');
    write('wrong.json', '{ "engine": "systemone" }');
    for (const [file, code, message] of [
      ['none.json', 2, /none\.json cannot be read \(ENOENT\)/],
      ['list.json', 2, /list\.json is not a JSON object/],
      ['half.json', 2, /half\.json is not a JSON object/],
      ['wrong.json', 1, /engine must be words or encoder/],
    ] as const) {
      const received = await deciders('set', 'mine', file);
      assert.equal(received.code, code, file);
      assert.match(received.err, message);
    }
  });
});
