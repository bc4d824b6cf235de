import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { suite, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runModels } from '../../src/features/models/commands/models.ts';
import { configuration } from '../../src/configuration.ts';
import { Fault } from '../../src/kernel/faults.ts';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import { findAdapter, openBareDecisions } from '../../src/features/decisions/open-decisions.ts';
import { openModels } from '../../src/features/models/open-models.ts';
import { startHub } from '../support/hub.ts';
import { fails, scriptedProvider, type ScriptedOffer } from '../support/providers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { ModelsContext } from '../../src/features/models/open-server-models.ts';

const price = { input: 1.25, output: 10, cacheRead: 0, cacheWrite: 0 };

async function run(
  t: TestContext,
  argv: readonly string[],
  models: Readonly<Record<string, ScriptedOffer>> = { a: { price, contextTokensMax: 400_000 }, b: {} },
  hub: ModelsContext['hub'] = { endpoint: 'http://127.0.0.1:1', token: undefined, proxy: undefined },
) {
  const folder = await temporaryFolder(t);
  const texts = { out: '', err: '' };
  const lab = scriptedProvider('lab', models);
  const context: ModelsContext = {
    load: async () => configuration.load({ env: { NESTOR_DATA: folder }, cwd: folder }),
    openModels(config) {
      const opened = openModels({
        settings: {
          family: config.family,
          aliases: config.aliases,
          models: { svc: ['lab/a'], none: ['lab/none'] },
          prices: {},
          balance: 'auto' as const,
          providers: [],
        },
        fallback: null,
        clock: systemClock,
        onBackendFailure() {},
      });
      opened.add({ provider: lab, asked: false, prefer: null }, 0);
      return Promise.resolve({ ...opened, settled: Promise.resolve(), unoffered: () => [] });
    },
    cwd: folder,
    open: openBareDecisions,
    findAdapter,
    stdin: Readable.from([]),
    hub,
    out: { write: (text: string) => void (texts.out += text) },
    err: { write: (text: string) => void (texts.err += text) },
    clock: systemClock,
    signal: new AbortController().signal,
  };
  const code = await runModels(argv, context);
  return { code, ...texts, lab, folder };
}

suite('nestor models list', () => {
  test('prints each model with its size, price, health and what it runs on', async (t) => {
    const { code, out, lab } = await run(t, ['list']);
    assert.equal(code, 0);
    const rows = out
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    assert.deepEqual(rows[0], ['MODEL', 'CONTEXT', 'INPUT', 'OUTPUT', 'ROUTER', 'HEALTH', 'RUNS ON']);
    assert.deepEqual(rows[1], ['lab/a', '400000', '1.25', '10', 'yes', 'ok', '-']);
    assert.deepEqual(rows[3], ['svc/none', '-', '0', '0', 'yes', 'not offered', '-']);
    assert.deepEqual(rows[4], ['svc/svc', '400000', '0.25', '2.5', 'yes', 'ok', 'lab/a']);
    assert.ok(lab.closed);
    assert.deepEqual(lab.calls, []);
  });

  test('prices are left out where nobody has set one, and a name without a model says so', async (t) => {
    const { out } = await run(t, ['list'], { a: { capabilities: { generates: false } } });
    assert.match(out, /^MODEL +CONTEXT +ROUTER +HEALTH +RUNS ON$/m);
    assert.match(out, /^lab\/a .* ok /m);
    assert.match(out, /^svc\/svc .* no model /m);
  });

  test('as JSON has the same in words of the interface', async (t) => {
    const { out } = await run(t, ['list', '--json']);
    const rows = JSON.parse(out) as readonly Record<string, unknown>[];
    assert.deepEqual(rows[0], {
      id: 'lab/a',
      context_tokens_max: 400_000,
      input_price: 1.25,
      output_price: 10,
      router: true,
      health: 'ok',
      runs_on: null,
    });
  });
});

suite('nestor models test', () => {
  test('calls each model once and fails when one of them does', async (t) => {
    const broken = {
      answer: fails(() => new Fault('bad_gateway', undefined, { cause: new Error('status 401') })),
    };
    const { code, out, lab } = await run(t, ['test'], { a: {}, b: broken });
    assert.equal(code, 1);
    assert.deepEqual(lab.calls.toSorted(), ['a', 'b']);
    assert.match(out, /^lab\/a +ok +\d+ +\d+ +5 +-$/m);
    assert.match(out, /^lab\/b +bad_gateway +- +\d+ +- +status 401$/m);
    assert.equal((await run(t, ['test'])).code, 0);
  });

  test('calls only the models that are named, own names among them', async (t) => {
    const { code, out, lab } = await run(t, ['test', 'svc/svc', '--json']);
    assert.equal(code, 0);
    assert.deepEqual(lab.calls, ['a']);
    const [row] = JSON.parse(out) as readonly Record<string, unknown>[];
    assert.deepEqual([row?.['id'], row?.['is_ok'], row?.['fault']], ['svc/svc', true, null]);
    assert.equal(typeof row?.['first_ms'], 'number');
  });

  test('calls many models only when asked to, because each call costs', async (t) => {
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`m${at}`, {}]));
    const refused = await run(t, ['test'], many);
    assert.equal(refused.code, 2);
    assert.match(refused.err, /There are 21 models.*--all/);
    assert.equal(refused.lab.calls.length, 0);
    assert.equal((await run(t, ['test', '--all'], many)).lab.calls.length, 21);
  });

  test('refuses a name that nothing stands behind', async (t) => {
    const { code, err } = await run(t, ['test', 'lab/missing']);
    assert.deepEqual(
      [code, err],
      [2, 'nestor: Nothing is offered as "lab/missing". Try: nestor models --help\n'],
    );
  });
});

suite('nestor models pull', () => {
  const content = Buffer.concat([Buffer.from('GGUF'), randomBytes(5_000)]);
  const script = { repository: 'lab/models', file: 'm.gguf', content };

  test('puts the file where a server without providers finds it', async (t) => {
    const { url } = await startHub(t, script);
    const hub = { endpoint: `${url}/`, token: '', proxy: undefined };
    const { code, out, folder } = await run(t, ['pull', 'lab/models/m.gguf'], {}, hub);
    assert.equal(code, 0);
    assert.deepEqual(await readFile(join(folder, 'models', 'm.gguf')), content);
    assert.match(out, /m\.gguf: 5\.0 kB, checksum verified \(sha256 [0-9a-f]{64}\)/);
    assert.match(out, /providers: \[\{ name: home, type: local, path: ".*m\.gguf" \}\]/);
  });

  test('lists the files of a repository that is named without one', async (t) => {
    const { url } = await startHub(t, { ...script, others: ['README.md', 'q4.gguf'] });
    const hub = { endpoint: url, token: undefined, proxy: undefined };
    const { code, err } = await run(t, ['pull', 'lab/models'], {}, hub);
    assert.equal(code, 2);
    assert.match(
      err,
      /nestor models pull lab\/models\/q4\.gguf\n {2}nestor models pull lab\/models\/m\.gguf/,
    );
  });

  test('fails with one line where the network refuses', async (t) => {
    const { code, err } = await run(t, ['pull', 'lab/models/m.gguf']);
    assert.equal(code, 1);
    assert.match(
      err.trimEnd().split('\n').at(-1) ?? '',
      /^nestor: 127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)/,
    );
  });
});

test('a wrong command line is reported in one line with exit code 2', async (t) => {
  const wrong: Readonly<Record<string, RegExp>> = {
    'list more': /Unexpected argument "more"/,
    pull: /OWNER\/REPO\/FILE\.gguf is missing/,
    'pull a/b/c.gguf d': /Unexpected argument "d"/,
    'list --all': /--all belongs to test/,
    'test --nonsense': /Unknown option '--nonsense'/,
    nonsense: /Unknown verb "nonsense"/,
  };
  for (const [line, pattern] of Object.entries(wrong)) {
    const { code, err } = await run(t, line.split(' '));
    assert.equal(code, 2, line);
    assert.match(err, pattern);
    assert.equal(err.trimEnd().split('\n').length, 1);
  }
  const help = await run(t, ['--help']);
  assert.equal(help.code, 0);
  assert.match(help.out, /^nestor models: /);
});

test('the command itself lists what ships, with nothing configured, and tests it', async (t) => {
  const folder = await temporaryFolder(t);
  const entry = fileURLToPath(new URL('../../bin/nestor.mjs', import.meta.url));
  const env = { PATH: process.env['PATH'] ?? '', NESTOR_DATA: folder, NESTOR_DETECT: 'false' };
  const command = promisify(execFile);
  const list = await command(process.execPath, [entry, 'models', 'list'], { env });
  assert.match(list.stdout, /^svc\/svc +- +yes +no model +embedded\/extractive$/m);
  const tested = await command(process.execPath, [entry, 'models', 'test'], { env });
  assert.match(tested.stdout, /^embedded\/extractive +ok/m);
  assert.equal(list.stderr + tested.stderr, '');
});
