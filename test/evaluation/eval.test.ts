import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { runEval } from '../../src/features/decisions/commands/eval.ts';
import { createProgress } from '../../src/kernel/commands/progress.ts';
import { toReliabilitySvg } from '../../src/features/decisions/evaluation/reliability-svg.ts';
import { reliabilityBins } from '../../src/features/decisions/evaluation/reliability.ts';
import type { Report } from '../../src/features/decisions/evaluation/report.ts';
import { Fault } from '../../src/kernel/faults.ts';
import { createBench, weighing, type Bench } from './support.ts';
import { checkXml } from './xml.ts';

const lines = [
  {
    state: 'I want my money back',
    question: { type: 'noul', instructions: 'Does the customer ask for a refund?' },
    answer: true,
  },
  {
    state: 'Where is my parcel?',
    question: { type: 'noul', instructions: 'Does the customer ask for a refund?' },
    answer: false,
  },
  {
    state: 'My invoice is wrong',
    question: { type: 'choice', criteria: { invoice: null, parcel: null, password: null } },
    answer: 'invoice',
  },
  {
    state: 'I am furious',
    question: { type: 'score', instructions: 'How angry?', criteria: ['calm', 'annoyed', 'furious'] },
    answer: 2,
  },
];

function write({ folder }: Bench, examples: readonly object[], name = 'mine.jsonl'): string {
  writeFileSync(join(folder, name), examples.map((example) => `${JSON.stringify(example)}\n`).join(''));
  return name;
}

const readReport = (folder: string): Report =>
  JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report;

suite('nestor eval', () => {
  test('two levels have an order', async (t) => {
    const bench = createBench(t);
    const calm = { ...lines[3], state: 'I am calm', answer: 0 };
    assert.equal(await runEval([write(bench, [...lines.slice(3), calm])], bench.context), 0);
    assert.match(bench.out(), /score: Spearman +1\.000/);
  });

  test('tells of the engine words on every kind, in words, JSON, Markdown and a picture', async (t) => {
    const bench = createBench(t);
    assert.equal(await runEval([write(bench, lines)], bench.context), 0);
    assert.match(bench.out(), /Engine "words" \(order as given, uncalibrated\) on mine.jsonl: 4 answered/);
    for (const row of [
      'accuracy',
      'NLL',
      'Brier',
      'ECE',
      'order flips',
      'right way',
      'absolute error',
      'p99',
    ]) {
      assert.match(bench.out(), new RegExp(row));
    }
    const folder = join(bench.folder, 'data/evaluation/mine');
    const report = readReport(folder);
    assert.equal(report.all.count, 4);
    assert.deepEqual(Object.keys(report.kinds), ['noul', 'choice', 'score']);
    assert.deepEqual(report.kinds.choice?.orderFlips, { asked: 1, rate: 0 });
    assert.equal(report.kinds.noul?.negation?.asked, 2);
    assert.equal(report.labelMass, null);
    assert.equal(
      report.bins.reduce((sum, { count }) => sum + count, 0),
      4,
    );
    assert.match(readFileSync(join(folder, 'report.md'), 'utf8'), /\| accuracy \|/);
    checkXml(readFileSync(join(folder, 'reliability.svg'), 'utf8'));
  });

  test('flips, label mass and negation are those of the engine', async (t) => {
    // Likes what stands first, and says yes to a statement and to its denial.
    const bench = createBench(t, async ({ onLabelMass }) => {
      for (const mass of [0.9, 0.8, 1]) onLabelMass(mass);
      return weighing((_state, _view, place) => (place === 0 ? 3 : 1));
    });
    const file = write(bench, lines);
    assert.equal(await runEval([file, '--json', '--out', 'x', '--concurrency', '3'], bench.context), 0);
    const report = JSON.parse(bench.out()) as Report;
    assert.deepEqual(report, readReport(join(bench.folder, 'x')));
    assert.equal(report.all.orderFlips?.rate, 1);
    assert.deepEqual(report.all.negation, { asked: 2, sum: 1.5, incoherence: 0.5, rightWay: 0 });
    assert.equal(report.labelMass?.p5, 0.8);
    assert.ok(Math.abs((report.labelMass?.mean ?? 0) - 0.9) < 1e-12);
    assert.equal(report.kinds.score?.scores?.meanAbsoluteError, 2 - (0.2 + 0.4));
  });

  test('averaging over orders, as configured, takes the flips away', async (t) => {
    const env = { NESTOR_DECISIONS_ORDER_PASSES: '2', NESTOR_DECISIONS_NEGATION: 'true' };
    const bench = createBench(t, async () => weighing((_s, _v, place) => (place === 0 ? 3 : 1)), env);
    assert.equal(await runEval([write(bench, lines), '--json'], bench.context), 0);
    const report = JSON.parse(bench.out()) as Report;
    assert.equal(report.all.orderFlips?.rate, 0);
    assert.ok((report.all.negation?.incoherence ?? 1) < 1e-12);
    assert.match(report.steps, /2 passes, nouls asked both ways/);
  });

  test('without the extra passes each question is asked once', async (t) => {
    let asked = 0;
    const bench = createBench(t, async () => weighing(() => ++asked));
    assert.equal(await runEval([write(bench, lines), '--no-flips', '--json'], bench.context), 0);
    assert.equal(asked, 2 + 2 + 3 + 3);
    const { orderFlips, negation } = (JSON.parse(bench.out()) as Report).all;
    assert.deepEqual([orderFlips, negation], [null, null]);
  });

  test('a server on the command line is asked bare, with its address, key and model', async (t) => {
    const env = { NESTOR_DECISIONS_ORDER_PASSES: '2' };
    const bench = createBench(t, async () => weighing(() => 1, 'systemone'), env);
    const url = 'http://127.0.0.1:1';
    const argv = [write(bench, lines), '--url', url, '--key', 'secret-key', '--model', 'm', '--json'];
    assert.equal(await runEval(argv, bench.context), 0);
    assert.deepEqual(bench.requests[0]?.remote, { url, key: 'secret-key', model: 'm' });
    const report = JSON.parse(bench.out()) as Report;
    assert.deepEqual([report.steps, report.concurrency], ['at 127.0.0.1:1, order as given, uncalibrated', 8]);
    assert.doesNotMatch(bench.out() + bench.err(), /secret-key/);
  });

  test('converts without opening an engine, and the same seed draws the same', async (t) => {
    const bench = createBench(t, () => assert.fail('opened'));
    const rows = Array.from({ length: 30 }, (_, index) => `text ${index},label_${index % 3}`);
    writeFileSync(join(bench.folder, 'a.csv'), ['text,category', ...rows].join('\n'));
    const convert = (out: string, ...more: string[]) =>
      runEval(['a.csv', '--sample', '5', ...more, '--write-jsonl', out], bench.context);
    assert.deepEqual([await convert('1'), await convert('2'), await convert('3', '--seed', '2')], [0, 0, 0]);
    const [one, two, three] = ['1', '2', '3'].map((name) => readFileSync(join(bench.folder, name), 'utf8'));
    assert.equal(one, two);
    assert.notEqual(one, three);
    assert.equal(one?.trim().split('\n').length, 5);
    assert.match(one ?? '', /"answer":"label 0"/);
  });

  test('what cannot be done is one line and an exit code', async (t) => {
    const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
      [[], 2, /file of examples is missing/],
      [['x', '--nonsense'], 2, /--nonsense/],
      [['x', '--sample', '0'], 2, /--sample must be a whole number from 1/],
      [['x', '--key', 'k'], 2, /belong to --url/],
      [['x', '--url', 'ftp://a'], 2, /http or https/],
      [['x', '--url', 'http://a', '--engine', 'local'], 2, /exclude/],
      [['x', '--engine', 'nosuch'], 2, /No engine is called "nosuch": there are words,/],
      [['missing.jsonl'], 1, /missing\.jsonl: cannot be read \(ENOENT\)/],
      [['empty'], 1, /not a known form|nothing in it/],
    ];
    for (const [argv, code, message] of cases) {
      const bench = createBench(t);
      writeFileSync(join(bench.folder, 'empty'), '');
      assert.equal(await runEval(argv, bench.context), code, argv.join(' '));
      assert.match(bench.err(), message);
      assert.equal(bench.err().trim().split('\n').length, 1);
    }
    const bench = createBench(t);
    assert.equal(await runEval(['--help'], bench.context), 0);
    assert.match(bench.out(), /--write-jsonl/);
  });

  test('a failing question is counted and left out; an engine that keeps failing ends it', async (t) => {
    let asked = 0;
    const flaky = weighing(() => 1);
    const bench = createBench(t, async () => ({
      ...flaky,
      score: (...asking) =>
        ++asked === 2 ? Promise.reject(new Fault('gateway_timeout')) : flaky.score(...asking),
    }));
    assert.equal(await runEval([write(bench, lines), '--no-flips', '--json'], bench.context), 0);
    const report = JSON.parse(bench.out()) as Report;
    assert.deepEqual([report.failed, report.all.count], [1, 3]);
    assert.match(report.firstFailure ?? '', /mine\.jsonl:2: gateway_timeout/);

    const down = createBench(t, async () => ({
      ...flaky,
      score: () => Promise.reject(new Fault('service_unavailable')),
    }));
    const many = Array.from({ length: 50 }, () => lines).flat();
    assert.equal(await runEval([write(down, many), '--concurrency', '4'], down.context), 1);
    assert.match(down.err(), /keeps failing: mine\.jsonl:1: service_unavailable/);
  });

  test('interrupted, it tells what it has', async (t) => {
    let asked = 0;
    const bench: Bench = createBench(t, async () =>
      weighing(() => {
        if (++asked === 20) bench.stop.abort();
        return 1;
      }),
    );
    const many = Array.from({ length: 50 }, () => lines).flat();
    assert.equal(await runEval([write(bench, many)], bench.context), 130);
    assert.match(bench.out(), /answered \(interrupted\)/);
    assert.equal(readReport(join(bench.folder, 'data/evaluation/mine')).complete, false);
  });
});

suite('progress', () => {
  function shown(isTTY: boolean, steps: number): readonly string[] {
    const written: string[] = [];
    let nowMs = 0;
    const clock = { now: () => nowMs, monotonic: () => nowMs };
    const terminal = { write: (text: string) => written.push(text), isTTY, columns: 60 };
    const progress = createProgress(terminal, steps, clock);
    for (let done = 1; done <= steps; done++) {
      nowMs += 50;
      progress.update(done, done > 150 ? 1 : 0);
    }
    progress.finish();
    return written;
  }

  test('a bar on a terminal, never wider than it, gone at the end', () => {
    const written = shown(true, 200);
    assert.ok(written.length > 50 && written.length < 110);
    for (const text of written) assert.ok(text.replace('\r\u001b[2K', '').length < 60, text);
    assert.match(written.at(-2) ?? '', /\[=+\] 200\/200 \(100 %\), 20\/s, 0 s left, 1 failed$/);
    assert.equal(written.at(-1), '\r\u001b[2K');
  });

  test('a line every few seconds elsewhere, none for what is over soon', () => {
    assert.deepEqual(shown(false, 20), []);
    assert.deepEqual(shown(false, 200), [
      '100/200 (50 %), 20/s, 5 s left\n',
      '200/200 (100 %), 20/s, 0 s left, 1 failed\n',
    ]);
  });
});

suite('the reliability diagram', () => {
  test('is well-formed whatever it is told and whatever is in its bins', () => {
    const outcomes = [
      { probabilities: [1, 0], right: 0, chosen: 0 },
      { probabilities: [0.4, 0.6], right: 0, chosen: 1 },
    ];
    for (const list of [[], outcomes]) {
      const svg = toReliabilitySvg({
        subject: `<b>&"'\u0000\ud800 ${'long '.repeat(60)}`,
        bins: reliabilityBins(list),
        count: list.length,
        accuracy: 0.5,
        ece: 0.1234,
      });
      checkXml(svg);
      assert.match(svg, /ECE 0\.123 \(15 bins\)/);
      assert.match(svg, /Confidence .*<\/text>/);
      assert.match(svg, /Accuracy .*<\/text>/);
      assert.doesNotMatch(svg, /NaN|Infinity|undefined|href/);
    }
  });

  test('the checker knows what is not', () => {
    for (const text of [
      '<a>',
      '<a></b>',
      '<a b="1" b="2"/>',
      '<a>&x;</a>',
      '<a/><b/>',
      'x<a/>',
      '<a b=1/>',
    ]) {
      assert.throws(() => checkXml(text), text);
    }
    checkXml('<a b="1">x &amp; y<c/></a>\n');
  });
});

const shared = new URL('../../../shared/data/', import.meta.url);
test('the public sets in ../shared are read whole', { skip: !existsSync(shared) }, async (t) => {
  const bench = createBench(t);
  const path = (name: string) => new URL(name, shared).pathname;
  const convert = (name: string, ...more: string[]) =>
    runEval([path(name), ...more, '--write-jsonl', 'out.jsonl'], bench.context);
  assert.equal(await convert('banking77/test.csv'), 0);
  assert.equal(await convert('clinc150/data_full.json'), 0);
  assert.equal(await convert('clinc150/data_full.json', '--oos'), 0);
  assert.equal(await convert('bbh/navigate.json'), 0);
  assert.equal(await convert('bbh/word_sorting.json'), 1);
  const counts = [...bench.out().matchAll(/^(\d+) examples/gm)].map(([, count]) => Number(count));
  assert.deepEqual(counts, [3_080, 4_500, 5_500, 250]);
  assert.match(bench.err(), /250 entries left out/);
  assert.equal(
    await runEval([path('clinc150/data_full.json'), '--sample', '200', '--json'], bench.context),
    0,
  );
});
