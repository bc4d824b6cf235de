import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { queueExamples } from '../support/queues.ts';
import { startServer } from '../support/server.ts';
import { jsonOf, openConsole } from './support.ts';

async function open(t: TestContext, options: Parameters<typeof startServer>[1] = {}) {
  const opened = openConsole(t);
  const api = await startServer(t, options);
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

  test('examples are sent, listed and deleted, and what they teach is fitted, told and rolled back', async (t) => {
    const { deciders, write } = await open(t, { withEncoder: true });
    write('desk.json', '{ "engine": "encoder" }');
    const lines = queueExamples.map((one) => JSON.stringify(one));
    write('queues.jsonl', lines.slice(0, 10).join('\n'));
    write('more.jsonl', lines.slice(10).join('\n'));
    await deciders('set', 'desk', 'desk.json');
    const none = await deciders('fit', 'desk');
    assert.equal(none.code, 1);
    assert.match(none.err, /There are no examples to learn from/);

    const added = await deciders('examples', 'add', 'desk', 'queues.jsonl', 'more.jsonl');
    assert.deepEqual([added.code, added.out], [0, 'Stored 18; desk has 18\n']);
    const { examples } = jsonOf<{ readonly examples: readonly { readonly id: string }[] }>(
      await deciders('examples', 'ls', 'desk', '--json'),
    );
    assert.equal(examples.length, 18);
    const shown = await deciders('examples', 'ls', 'desk');
    assert.match(shown.out, /^ID +ANSWER +STATE\nex_\w+ +q1 +My card was charged twice\n/);

    const fitted = await deciders('fit', 'desk', '--max-error', '0.5');
    assert.equal(fitted.code, 0, fitted.err);
    assert.match(fitted.err, /^Fit fit_\w+$/m);
    assert.match(fitted.out, /^Which queue\? +18 +0\.\d{3} +[01]\.\d{3} .*(?:linear|nearest|blend)$/m);
    assert.match(fitted.out, /^ANSWER +EXAMPLES +PRECISION +RECALL$/m);
    assert.match(fitted.out, /^q2 +6 +[01]\.\d{3} +[01]\.\d{3}$/m);
    assert.match(fitted.out, /^Which queue\? +0\.5 +from [01](?:\.\d+)? +\d+ +\d+ +8$/m);
    assert.match(fitted.out, /Taken, and in use/);
    const { fits } = jsonOf<{ readonly fits: readonly { readonly id: string; readonly in_use: boolean }[] }>(
      await deciders('fits', 'desk', '--json'),
    );
    assert.deepEqual(
      fits.map((one) => one.in_use),
      [true],
    );
    assert.match((await deciders('fits', 'desk')).out, /^fit_\w+ +taken +yes +18 +20/m);
    const before = await deciders('rollback', 'desk');
    assert.deepEqual([before.code, before.out], [0, 'desk answers with nothing that was learned\n']);
    assert.equal((await deciders('rollback', 'desk')).code, 1);

    const begun = await deciders('fit', 'desk', '--no-wait');
    assert.match(begun.out, /^fit_\w+\n$/);
    const [first] = examples;
    assert.match((await deciders('examples', 'rm', 'desk', first?.id ?? '')).out, /Deleted 1 of desk/);
    const emptied = await deciders('examples', 'rm', 'desk', '--all', '--json');
    assert.deepEqual(jsonOf(emptied), { decider: 'desk', deleted: true });
    assert.deepEqual(jsonOf(await deciders('examples', 'ls', 'desk', '--json')), { examples: [], total: 0 });
  });

  test('what cannot be sent is refused before anything is', async (t) => {
    const { deciders, write } = await open(t);
    write('wrong.jsonl', '{ "state": "x" }');
    for (const [argv, code, message] of [
      [['examples', 'add', 'desk'], 2, /FILE is missing/],
      [['examples', 'add', 'desk', 'none.jsonl'], 2, /none\.jsonl cannot be read/],
      [['examples', 'add', 'desk', 'wrong.jsonl'], 1, /wrong\.jsonl/],
      [['examples', 'rm', 'desk'], 2, /Give the ids of examples, or --all/],
      [['examples', 'rm', 'desk', 'ex_1', '--all'], 2, /Give the ids of examples, or --all/],
      [['show', 'desk', '--all'], 2, /--all belongs to examples rm/],
      [['fits', 'desk', '--no-wait'], 2, /--no-wait belongs to fit/],
      [['fits', 'desk', '--max-error', '0.1'], 2, /--max-error belongs to fit/],
      [['fit', 'desk', '--max-error', 'few'], 2, /--max-error must be a number between 0 and 1/],
      [['fit'], 2, /NAME is missing/],
      [['fits', 'desk'], 1, /decider not found/],
    ] as const) {
      const received = await deciders(...argv);
      assert.equal(received.code, code, `${argv.join(' ')}: ${received.err}`);
      assert.match(received.err, message);
    }
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
