import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { commands } from '../../src/commands.ts';
import { startHub } from '../support/hub.ts';
import { writeOnnxModel } from '../support/onnx.ts';
import { withDigest } from '../../src/features/verification/receipt-digest.ts';
import { rulesVersion } from '../../src/features/verification/receipt.ts';
import { startServer } from '../support/server.ts';
import { openConsole, type Console, type RunOptions } from './support.ts';

/** What every command holds, so that a new one cannot forget it. */

const root = new URL('../..', import.meta.url).pathname;
const escape = '\u001b';

/** Commands that call a server; they read NESTOR_URL and NESTOR_KEY. */
const clientCommands = commands.filter(({ group }) => group === 'Ask a server');

/** Nothing outside is looked for, and no sandbox is tried. */
const env = {
  NESTOR_DETECT: 'false',
  NESTOR_SANDBOX_RUNNER: 'off',
  NESTOR_PORT: '0',
  NESTOR_DECISIONS_ENGINE: 'words',
};

suite('every command', () => {
  for (const { name, summary } of commands) {
    test(`nestor ${name} --help teaches: what it does, examples, exit codes, where it goes on`, async (t) => {
      const { nestor } = openConsole(t);
      const { code, out, err } = await nestor([name, '--help']);
      assert.deepEqual([code, err], [0, '']);
      assert.match(out, new RegExp(`^nestor ${name}[^\\n:]*: .`));
      const examples = out.match(new RegExp(`^  [^\\n]*nestor ${name}`, 'gm')) ?? [];
      assert.ok(examples.length >= 2, `${examples.length} examples`);
      assert.match(out, /^ {2}--[a-z]/m);
      assert.match(out, /^Exit codes: 0 /m);
      const page = /^See (docs\/guide\/[a-z-]+\.md)/m.exec(out)?.[1] ?? '';
      assert.ok(existsSync(join(root, page)) && page !== '', `the page ${page}`);
      for (const line of out.split('\n')) assert.ok(line.length <= 120, line);
      assert.deepEqual((await nestor([name, '-h'])).out, out);
      assert.ok(summary.length <= 80, summary);
    });

    test(`nestor ${name} refuses a wrong option in one line of its own, with 2`, async (t) => {
      const { nestor } = openConsole(t);
      const cases: readonly (readonly [argument: string, message: string])[] = [
        ['--colour', "Unknown option '--colour'."],
        ['--jsno', "Unknown option '--jsno'. Did you mean --json?"],
        ['-json', "Unknown option '-json'. Did you mean --json?"],
        ['--json=yes', '--json takes no value.'],
        // A key that stands behind a misspelt name is not repeated.
        ['--kye=svc-secret', "Unknown option '--kye'."],
      ];
      for (const [argument, message] of cases) {
        const { code, out, err } = await nestor([name, argument]);
        assert.deepEqual([code, out], [2, ''], `${argument}: ${err}`);
        assert.ok(err.startsWith(`nestor: ${message}`), err);
        assert.ok(err.endsWith(` Try: nestor ${name} --help\n`), err);
        assert.equal(err.indexOf('\n'), err.length - 1, err);
        assert.ok(!err.includes('svc-secret'));
      }
    });
  }

  test('an option that is a key of the configuration is told as such; one that lacks its value is told', async (t) => {
    const { nestor } = openConsole(t);
    const cases: readonly (readonly [argv: readonly string[], message: string])[] = [
      [['serve', '--port', '8799'], 'set NESTOR_PORT, or port in nestor.yaml.'],
      [
        ['config', '--decisions-engine=local'],
        'set NESTOR_DECISIONS_ENGINE, or decisions.engine in nestor.yaml.',
      ],
      [['serve', '--config'], '--config lacks its value.'],
      [
        ['ask', 'q', '--domain', '-a.org'],
        '--domain lacks its value; one that begins with - is given as --domain=-a.org.',
      ],
      [['keys', 'lst', 'acme'], 'Unknown verb "lst". Did you mean list?'],
      [['index', 'explode'], 'Unknown verb "explode". There are ls, add, refresh, rm.'],
    ];
    for (const [argv, message] of cases) {
      const { code, err } = await nestor(argv);
      assert.equal(code, 2, err);
      assert.ok(err.includes(message), err);
    }
  });

  test('a verb that another command calls differently is understood', async (t) => {
    const { nestor } = openConsole(t);
    assert.equal((await nestor(['accounts', 'add', 'acme'])).code, 0);
    assert.match((await nestor(['accounts', 'ls'])).out, /^acme /m);
    assert.equal((await nestor(['index', 'list'])).code, 0);
    assert.match((await nestor(['models', 'ls', '--json'], { env })).out, /^\[/);
  });
});

interface JsonCase {
  readonly argv: readonly string[];
  /** The exit code; 0 if left out. */
  readonly code?: number;
}

/** In order: later ones need what earlier ones made. Null is told why. */
const jsonCases: Readonly<Record<string, readonly JsonCase[] | null>> = {
  serve: [{ argv: [] }],
  init: [{ argv: ['--yes', '--answers', 'built-in', '--out', 'made.yaml'] }],
  // Serves with the encoder until it is stopped: demo.test.ts.
  demo: null,
  doctor: [{ argv: [] }, { argv: ['--url', 'http://127.0.0.1:9'], code: 1 }],
  config: [{ argv: [] }, { argv: ['--schema'] }],
  // Needs PostgreSQL: worker.test.ts.
  worker: null,
  completions: [{ argv: ['bash'] }, { argv: ['fish'] }],
  decide: [
    { argv: ['I want my money back', '--noul', 'Is a refund asked for?'] },
    { argv: ['--csv', 'rows.csv', '--column', 'text', '--out', 'answered.csv', '--noul', 'q=Refund?'] },
  ],
  deciders: [{ argv: ['ls'] }, { argv: ['show', 'svc-decider-v1-27b'] }],
  ask: [{ argv: ['What is a kea?', '--no-search'] }],
  research: [{ argv: ['What is a kea?', '--no-wait'] }],
  search: [{ argv: ['kea'] }],
  skills: [{ argv: ['add', 'skill'] }, { argv: ['ls'] }],
  // Speaks JSON itself, as its protocol has it.
  mcp: null,
  models: [
    { argv: [] },
    { argv: ['test'] },
    { argv: ['pull', 'lab/models/m.gguf'] },
    { argv: ['pull', 'lab/models/m.gguf'] },
    { argv: ['list', '--files'] },
    { argv: ['test', 'm.gguf'], code: 1 },
    { argv: ['rm', 'm', '--yes'] },
    { argv: ['import', 'encoder'] },
  ],
  index: [{ argv: ['add', 'docs'] }, { argv: ['ls'] }, { argv: ['refresh'] }, { argv: ['rm', 'docs'] }],
  eval: [
    { argv: ['examples.jsonl', '--no-flips'] },
    { argv: ['examples.jsonl', '--engines', 'words'] },
    { argv: ['examples.jsonl', '--write-jsonl', 'o.jsonl'] },
    { argv: ['--answers', 'questions.jsonl'] },
  ],
  calibrate: [{ argv: ['examples.jsonl'] }, { argv: ['examples.jsonl', '--check'] }],
  guarantee: [{ argv: ['examples.jsonl', '--max-error', '0.1'], code: 1 }],
  // Needs the encoder: evaluation/learn.test.ts.
  learn: null,
  verify: [{ argv: ['receipt.json'] }],
  accounts: [
    { argv: ['create', 'acme'] },
    { argv: ['rename', 'acme', 'Acme Ltd'] },
    { argv: ['credit', 'acme', '50'] },
    { argv: ['show', 'acme'] },
    { argv: ['list'] },
  ],
  keys: [{ argv: ['create', 'acme'] }, { argv: ['list', 'acme'] }],
  usage: [{ argv: [] }, { argv: ['--by', 'model,day'] }],
  jobs: [{ argv: [] }, { argv: ['list', '--status', 'failed'] }],
  ledger: [{ argv: [] }, { argv: ['status'] }, { argv: ['repair'] }],
  migrate: [{ argv: [] }],
  export: [{ argv: ['all.jsonl'] }],
  backup: [{ argv: ['copy.db'] }, { argv: ['--check', 'copy.db'] }, { argv: ['--check'] }],
  restore: [{ argv: ['--yes', 'copy.db'] }],
  import: [{ argv: ['all.jsonl'] }],
};

const toExample = (state: string, answer: boolean) => ({
  state,
  question: { type: 'noul', instructions: 'Is a refund asked for?' },
  answer,
});

const emptyReceipt = withDigest({
  object: 'receipt',
  id: 'rcpt_1',
  created_at: 0,
  rules: rulesVersion,
  decider: null,
  passages: [],
  sentences: [],
});

/** What the commands above read. */
async function prepare(t: TestContext, { folder }: Console): Promise<void> {
  await writeOnnxModel(t, {}, join(folder, 'encoder'));
  for (const name of ['docs', 'skill']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'docs', 'kea.md'), '# Kea\n\nThe kea is a parrot.\n');
  writeFileSync(join(folder, 'skill', 'SKILL.md'), '---\nname: weekly\ndescription: Reports.\n---\nWrite.\n');
  writeFileSync(join(folder, 'rows.csv'), 'text\nrefund me\nhello\n');
  writeFileSync(join(folder, 'receipt.json'), JSON.stringify(emptyReceipt));
  writeFileSync(join(folder, 'questions.jsonl'), '{"question": "What is a kea?", "pages": []}');
  const examples = [toExample('I want my money back', true), toExample('Hello there', false)];
  writeFileSync(join(folder, 'examples.jsonl'), examples.map((one) => JSON.stringify(one)).join('\n'));
}

suite('--json', () => {
  test('the list of cases knows every command', () => {
    const names = commands.map(({ name }) => name);
    assert.deepEqual(Object.keys(jsonCases).toSorted(), names.toSorted());
  });

  test('every command prints one JSON value on standard output and nothing else, without colours', async (t) => {
    const server = await startServer(t);
    const content = Buffer.from('GGUF and so on');
    const hub = await startHub(t, { repository: 'lab/models', file: 'm.gguf', content });
    const console = openConsole(t);
    await prepare(t, console);
    const options: RunOptions = {
      env,
      api: { url: server.url, key: server.key },
      hub: { endpoint: hub.url, token: undefined, proxy: undefined },
    };
    for (const [name, cases] of Object.entries(jsonCases)) {
      for (const { argv, code = 0 } of cases ?? []) {
        const line = [name, ...argv, '--json'];
        const more = {
          // A server runs until it is stopped: this one is stopped as soon as it has told what it begins with.
          ...(name === 'serve' ? { signal: AbortSignal.abort() } : {}),
          // An import wants an empty store.
          ...(name === 'import' ? { env: { ...env, NESTOR_DATA: join(console.folder, 'other') } } : {}),
        };
        const ended = await console.nestor(line, { ...options, ...more });
        assert.equal(ended.code, code, `${line.join(' ')}: ${ended.err}`);
        const value: unknown = JSON.parse(ended.out);
        assert.ok(typeof value === 'object' && value !== null, line.join(' '));
        assert.ok(!`${ended.out}${ended.err}`.includes(escape), line.join(' '));
      }
    }
  });
});

suite('every command that calls a server', () => {
  /** Enough of a command line that the server is asked. */
  const lines: Readonly<Record<string, readonly string[]>> = {
    decide: ['x', '--noul', 'y?'],
    deciders: ['ls'],
    ask: ['x'],
    research: ['x'],
    search: ['x'],
    skills: ['ls'],
  };

  // What mcp says goes to its client: mcp.test.ts.
  for (const { name } of clientCommands.filter((command) => command.name !== 'mcp')) {
    test(`nestor ${name} tells in one line that no server is there, or that the key is wrong`, async (t) => {
      const server = await startServer(t);
      const { nestor } = openConsole(t);
      const argv = [name, ...(lines[name] ?? [])];
      const { code, out, err } = await nestor(argv, { api: { url: 'http://127.0.0.1:9', key: server.key } });
      assert.deepEqual([code, out], [1, ''], err);
      assert.match(
        err,
        /^nestor: http:\/\/127\.0\.0\.1:9 cannot be reached: ECONNREFUSED\. Is a server running\? `nestor serve` starts one, --url names another\.\n$/,
      );
      const wrong = await nestor(argv, { api: { url: server.url, key: 'svc-wrong' } });
      assert.deepEqual([wrong.code, wrong.out], [1, ''], wrong.err);
      assert.match(wrong.err, /^nestor: [^\n]*\(401, [^\n]*Is it the right key for this server\?\n$/);
      assert.ok(!wrong.err.includes('svc-wrong'));
      const none = await nestor(argv, { api: { url: server.url, key: undefined } });
      assert.match(none.err, /^nestor: [^\n]*\(401, [^\n]*Set NESTOR_KEY or give --key\.\n$/);
    });
  }
});
