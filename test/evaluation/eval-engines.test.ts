import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { runEval } from '../../src/features/decisions/commands/eval.ts';
import type { Compared } from '../../src/features/decisions/evaluation/compare.ts';
import { openWordsEngine } from '../../src/features/decisions/engines/words/index.ts';
import { createBench, weighing, type Bench } from './support.ts';

const refund = { type: 'noul', instructions: 'Is a refund asked for?' };
const about = { type: 'choice', criteria: { invoice: null, parcel: null, login: null } };
const lines = [
  { state: 'I want my money back', question: refund, answer: true },
  { state: 'Where is my parcel?', question: refund, answer: false },
  { state: 'My invoice is wrong', question: about, answer: 'invoice' },
  { state: 'The parcel came late', question: about, answer: 'parcel' },
];

function write({ folder }: Bench): string {
  writeFileSync(join(folder, 'mine.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return 'mine.jsonl';
}

interface Comparison {
  readonly complete: boolean;
  readonly examples: number;
  readonly engines: readonly Compared[];
}

/** Likes what stands first, three to one. */
const first = () => weighing((_state, _question, place) => (place === 0 ? 3 : 1), 'local');

const configuration = `
decisions:
  compare:
    - { name: other, engine: onnx, path: /models/other }
prices:
  decisions: { input: 2 }
`;

suite('nestor eval --engines', () => {
  test('asks every engine the same and compares them in one table, in JSON and in Markdown', async (t) => {
    const bench = createBench(t, ({ engine, config }) =>
      engine === 'local' || config.decisions.path === '/models/other'
        ? Promise.resolve(first())
        : openWordsEngine(),
    );
    writeFileSync(join(bench.folder, 'own.yaml'), configuration);
    const argv = ['--engines', 'words,local,other', '--config', 'own.yaml', '--json'];
    assert.equal(await runEval([write(bench), ...argv], bench.context), 0, bench.err());
    const report = JSON.parse(bench.out()) as Comparison;
    assert.deepEqual([report.complete, report.examples], [true, 4]);
    const [words, local, other] = report.engines;
    assert.deepEqual(
      report.engines.map(({ name, engine }) => [name, engine]),
      [
        ['words', 'words'],
        ['local', 'local'],
        ['other', 'local'],
      ],
    );
    assert.equal(words?.measures?.orderFlips?.rate, 0);
    // Yes to all: one noul of two, one choice of two. Every choice flips; p + p' is 1.5.
    const { measures } = local ?? {};
    assert.deepEqual([measures?.accuracy, measures?.orderFlips?.rate], [0.5, 1]);
    assert.equal(measures?.negation?.sum, 1.5);
    // F1 of yes 2/3, no 0, invoice 2/3, parcel 0.
    assert.ok(Math.abs((measures?.macroF1 ?? 0) - 1 / 3) < 1e-12);
    assert.deepEqual(other?.measures?.accuracy, 0.5);
    // One token a question, at 2 USD for a million.
    assert.deepEqual([local?.cost?.inputTokens, local?.cost?.usd], [1, 2e-6]);
    for (const { cost, memoryBytes } of report.engines)
      assert.ok((cost?.cpuMs ?? -1) >= 0 && (memoryBytes ?? -1) >= 0);
    assert.deepEqual(
      bench.requests.map(({ engine, config }) => [engine, config.decisions.engine, config.decisions.path]),
      [
        ['words', 'auto', null],
        ['local', 'auto', null],
        [null, 'onnx', '/models/other'],
      ],
    );
    const folder = join(bench.folder, 'data/evaluation/mine');
    assert.equal(readFileSync(join(folder, 'comparison.json'), 'utf8'), bench.out());
    const table = readFileSync(join(folder, 'comparison.md'), 'utf8');
    assert.match(table, /^\| +\| words \| local \| other \|$/m);
    for (const row of [
      /^\| macro-F1 \| [01]\.\d{3} \| 0\.333 \| 0\.333 \|$/m,
      /^\| order flips \| 0\.000 \| 1\.000 \| 1\.000 \|$/m,
      /^\| negation: p \+ p’ \| \d\.\d{3} \| 1\.500 \| 1\.500 \|$/m,
      /^\| USD per 1,000 decisions \| 0\.\d{4} \| 0\.0020 \| 0\.0020 \|$/m,
      /^\| CPU per decision \(ms\) \| \d/m,
      /^\| memory \(MB\) \| \d/m,
      /^- local: engine local, order as given, uncalibrated$/m,
    ])
      assert.match(table, row);
  });

  test('tells why one cannot answer, and compares the others', async (t) => {
    const bench = createBench(t, ({ engine }) =>
      engine === 'onnx' ? Promise.reject(new Error('no model lies there')) : openWordsEngine(),
    );
    assert.equal(await runEval([write(bench), '--engines', 'onnx, words'], bench.context), 1);
    assert.match(bench.out(), /^ +onnx +words$/m);
    assert.match(bench.out(), /^accuracy +– +\d\.\d{3}$/m);
    assert.match(bench.out(), /^onnx: could not answer: no model lies there$/m);
  });

  test('interrupted, it compares what it has', async (t) => {
    const bench: Bench = createBench(t, () =>
      Promise.resolve(
        weighing(() => {
          bench.stop.abort();
          return 1;
        }),
      ),
    );
    assert.equal(await runEval([write(bench), '--engines', 'local,words', '--no-flips'], bench.context), 130);
    assert.equal(bench.requests.length, 1);
    assert.match(bench.out(), /^local: .*\(interrupted\)$/m);
  });

  test('refuses names that are none, and options that belong to one engine', async (t) => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['--engines', 'gpt'], /No engine is called "gpt": there are words, .*svc-decider-v1-27b/],
      [['--engines', 'local,,words'], /--engines names engines separated by commas, each once/],
      [['--engines', 'local,local'], /each once/],
      [['--engines', 'local', '--engine', 'words'], /--engines and --engine exclude each other/],
      [['--engines', 'local', '--url', 'http://a'], /--engines and --url exclude each other/],
      [['--engines', 'local', '--write-jsonl', 'o'], /--engines and --write-jsonl exclude each other/],
    ];
    for (const [argv, message] of cases) {
      const bench = createBench(t, () => assert.fail('opened'));
      assert.equal(await runEval([write(bench), ...argv], bench.context), 2, argv.join(' '));
      assert.match(bench.err(), message);
    }
  });
});
