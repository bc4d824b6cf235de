import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { commands } from '../../src/commands.ts';
import { openConsole } from './support.ts';

async function writeScript(t: TestContext, shell: string): Promise<{ script: string; folder: string }> {
  const { nestor, folder } = openConsole(t);
  const { code, out, err } = await nestor(['completions', shell]);
  assert.deepEqual([code, err], [0, '']);
  const script = join(folder, `nestor.${shell}`);
  writeFileSync(script, out);
  return { script, folder };
}

/** What a real bash offers for a line that ends where the person pressed Tab. */
function completeInBash(script: string, words: readonly string[]): readonly string[] {
  const ask =
    'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _nestor; printf "%s\\n" "${COMPREPLY[@]}"';
  const out = execFileSync('bash', ['--norc', '-c', ask, 'bash', script, 'nestor', ...words], {
    encoding: 'utf8',
  });
  return out.split('\n').filter((line) => line !== '');
}

const without = (shell: string) =>
  spawnSync(shell, ['-c', ':']).error === undefined ? false : `needs ${shell}`;

suite('nestor completions', () => {
  test('bash completes commands, verbs and options', { skip: without('bash') }, async (t) => {
    const { script } = await writeScript(t, 'bash');
    const names = commands.map(({ name }) => name);
    assert.deepEqual(completeInBash(script, ['']), ['help', ...names]);
    assert.deepEqual(
      completeInBash(script, ['de']),
      names.filter((name) => name.startsWith('de')),
    );
    assert.deepEqual(completeInBash(script, ['keys', '']), ['list', 'create', 'revoke']);
    assert.deepEqual(completeInBash(script, ['keys', 'revoke', '']), []);
    assert.deepEqual(completeInBash(script, ['keys', 'create', '--na']), ['--name']);
    assert.deepEqual(completeInBash(script, ['help', 'mod']), ['models']);
    assert.deepEqual(completeInBash(script, ['--v']), ['--version']);
    for (const command of commands) {
      const { name } = command;
      const { shape } = await command.load();
      const options = Object.keys(shape.options).map((option) => `--${option}`);
      assert.deepEqual(completeInBash(script, [name, '--']), options, name);
      assert.ok(options.includes('--help') && options.includes('--json'), name);
    }
  });

  test('zsh and fish take the script, where they are installed', async (t) => {
    for (const shell of ['zsh', 'fish']) {
      const { script } = await writeScript(t, shell);
      if (without(shell) !== false) t.diagnostic(`${shell} is not installed: its script is not read`);
      else assert.equal(spawnSync(shell, ['-n', script]).status, 0, shell);
    }
  });

  test('every verb that completions offer is one that its command knows', async (t) => {
    const { nestor } = openConsole(t);
    for (const command of commands) {
      const { name } = command;
      const { verbs } = (await command.load()).shape;
      if (verbs.length === 0 || name === 'completions') continue;
      const { err } = await nestor([name, 'no-such-verb-at-all']);
      assert.match(err, /^nestor: Unknown verb "no-such-verb-at-all"\. /, name);
      assert.ok(err.includes(`There are ${verbs.join(', ')}.`), `${name}: ${err}`);
    }
  });

  test('another shell is told which there are', async (t) => {
    const { nestor } = openConsole(t);
    const { code, err } = await nestor(['completions', 'tcsh']);
    assert.equal(code, 2);
    assert.match(err, /"tcsh" is not known; there are bash, zsh, fish\./);
  });
});
