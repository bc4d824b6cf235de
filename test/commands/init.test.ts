import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { parse } from 'yaml';
import { configuration } from '../../src/configuration.ts';
import { startServer } from '../support/server.ts';
import { jsonOf, openConsole } from './support.ts';

interface Written {
  readonly file: string;
  readonly variables: readonly string[];
}

suite('nestor init', () => {
  test('without options it writes into the data folder what a start would take anyway', async (t) => {
    const { nestor, folder } = openConsole(t);
    const { code, out, err } = await nestor(['init', '--yes']);
    assert.deepEqual([code, err], [0, '']);
    const file = join(folder, 'data', 'nestor.yaml');
    assert.equal(out, `Written and read back: ${file}\nNext: nestor serve\n`);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(parse(readFileSync(file, 'utf8')), {
      host: '127.0.0.1',
      port: 8787,
      database: 'sqlite',
      detect: false,
    });
  });

  test('the next commands read what it wrote', async (t) => {
    const { nestor } = openConsole(t);
    await nestor(['init', '--yes', '--listen', '127.0.0.1:8791']);
    assert.match((await nestor(['config'])).out, /^port: 8791$/m);
  });

  test('a file that is there stays, and the person is told before any question', async (t) => {
    const { nestor, folder } = openConsole(t);
    const file = join(folder, 'data', 'nestor.yaml');
    mkdirSync(join(folder, 'data'));
    writeFileSync(file, 'port: 1234\n');
    const { code, out, err } = await nestor(['init'], { isTyped: true });
    assert.deepEqual([code, out], [1, '']);
    assert.equal(err, `nestor: ${file} is there already and stays as it is; --out FILE writes elsewhere.\n`);
    assert.equal(readFileSync(file, 'utf8'), 'port: 1234\n');
  });

  test('a person answers by numbers, by names and by Enter, and is asked again after a wrong answer', async (t) => {
    const { nestor, folder } = openConsole(t);
    const typed = ['maybe', 'openai', '', '9', '3', 'http://127.0.0.1:8888', '2'];
    const ended = await nestor(['init'], { isTyped: true, stdin: `${typed.join('\n')}\n` });
    assert.equal(ended.code, 0, ended.err);
    assert.match(ended.err, /"maybe" answers nothing: there are built-in,/m);
    assert.match(ended.err, /"9" is no access: there are one, key, accounts\.$/m);
    const file = join(folder, 'data', 'nestor.yaml');
    const tree: unknown = parse(readFileSync(file, 'utf8'));
    assert.deepEqual(tree, {
      host: '127.0.0.1',
      port: 8787,
      database: '${NESTOR_DATABASE_URL}',
      keys: [{ key: '${NESTOR_ROOT_KEY}' }],
      admin_key: '${NESTOR_ADMIN_KEY}',
      providers: [
        {
          name: 'openai',
          type: 'openai-compatible',
          base_url: 'https://api.openai.com/v1',
          key: '${OPENAI_API_KEY}',
        },
      ],
      search: { engines: [{ type: 'searxng', url: 'http://127.0.0.1:8888' }] },
    });
    const variables = ['NESTOR_DATABASE_URL', 'NESTOR_ROOT_KEY', 'NESTOR_ADMIN_KEY', 'OPENAI_API_KEY'];
    assert.match(ended.out, new RegExp(`^Set these before the start: ${variables.join(', ')}$`, 'm'));
  });

  test('who leaves in the middle leaves no file', async (t) => {
    const { nestor } = openConsole(t);
    assert.equal((await nestor(['init'], { isTyped: true, stdin: '1\n1\n' })).code, 130);
    assert.equal((await nestor(['init', '--yes'])).code, 0);
  });

  test('where nobody can be asked it says so, and wrong options are told before anything is written', async (t) => {
    const { nestor } = openConsole(t);
    const cases: readonly (readonly [argv: readonly string[], message: string])[] = [
      [[], 'Nobody is here to be asked; --yes takes the usual answers.'],
      [['--yes', '--listen', 'here'], '"here" is no address: write HOST:PORT'],
      [['--yes', '--listen', '127.0.0.1:70000'], '"127.0.0.1:70000" is no address'],
      [['--yes', '--search', 'gopher'], '"gopher" finds nothing: there are own, open, brave'],
      [['--yes', '--store', 'mysql'], '"mysql" is no store: there are sqlite, postgres.'],
      [['--yes', 'now'], 'Unexpected argument "now".'],
    ];
    for (const [argv, message] of cases) {
      const { code, out, err } = await nestor(['init', ...argv]);
      assert.deepEqual([code, out], [2, ''], err);
      assert.ok(err.startsWith(`nestor: ${message}`), err);
    }
    assert.equal((await nestor(['init', '--yes'])).code, 0);
  });

  test('a server of models that runs here is the usual answer, a service with a key is not', async (t) => {
    const { url } = await startServer(t);
    const { nestor, folder } = openConsole(t);
    const run = {
      localServers: [{ name: 'vllm', port: Number(new URL(url).port) }],
      env: { OPENAI_API_KEY: 'sk-of-a-person', NESTOR_PORT: '0' },
    };
    await nestor(['init', '--yes', '--out', 'found.yaml'], run);
    assert.match(readFileSync(join(folder, 'found.yaml'), 'utf8'), /^ {2}- name: vllm$/m);
    const paid = await nestor(['init', '--yes', '--out', 'other.yaml'], { env: run.env });
    assert.equal(paid.code, 0);
    assert.match(readFileSync(join(folder, 'other.yaml'), 'utf8'), /^detect: false$/m);
    const asked = await nestor(['init', '--out', 'third.yaml'], { ...run, isTyped: true });
    assert.match(
      asked.err,
      /^ {2}1 {2}vllm at .*, found here\n {2}2 {2}what ships .*\n {2}3 {2}the service openai, with the key in OPENAI_API_KEY$/m,
    );
    assert.ok(!asked.err.includes('sk-of-a-person'));
  });

  test('every answer gives a file that a start accepts once its variables are set', async (t) => {
    const { nestor, folder } = openConsole(t);
    const choices = {
      answers: ['built-in', 'mødels/a ${b}.gguf', 'ollama', 'anthropic', 'mistral', 'http://gpu-1:8000/v1'],
      listen: ['8788', '0.0.0.0:80', '[::]:8787'],
      access: ['one', 'key', 'accounts'],
      search: ['own', 'open', 'brave', 'serper', 'tavily', 'exa', 'https://searx.example'],
      store: ['sqlite', 'postgres'],
    };
    const all = Object.entries(choices).flatMap(([name, values]) =>
      values.map((value) => [`--${name}`, value]),
    );
    for (const [index, [option = '', value = '']] of all.entries()) {
      const ended = await nestor(['init', '--yes', '--json', '--out', `${index}.yaml`, option, value]);
      assert.equal(ended.code, 0, `${value}: ${ended.err}`);
      const { file, variables } = jsonOf<Written>(ended);
      const env = Object.fromEntries(variables.map((name) => [name, 'postgres://nestor@db/nestor']));
      if (variables.length > 0)
        assert.throws(() => configuration.load({ env: {}, cwd: folder, file }), value);
      const loaded = configuration.load({
        env: {
          ...env,
          ...(variables.includes('NESTOR_ADMIN_KEY') ? { NESTOR_ADMIN_KEY: 'another-key-that-is-long' } : {}),
        },
        cwd: folder,
        file,
      });
      assert.deepEqual(loaded.warnings, [], value);
      if (value.endsWith('.gguf')) assert.equal(loaded.decisions.path, value);
    }
  });
});
