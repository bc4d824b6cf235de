import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { runCalibrate } from '../../src/features/decisions/commands/calibrate.ts';
import { runEval } from '../../src/features/decisions/commands/eval.ts';
import type { Calibration } from '../../src/features/decisions/calibration.ts';
import { PROMPT_VERSION } from '../../src/features/decisions/prompt.ts';
import { readCalibration } from '../../src/features/decisions/evaluation/calibration-file.ts';
import { createRandom } from '../../src/features/decisions/evaluation/sample.ts';
import { createBench, weighing, type Bench } from './support.ts';

const sharpness = 3;

/** States carry the true weights of their options, from which the answers are drawn. */
function writeExamples({ folder }: Bench, count: number, seed = 1): string {
  const random = createRandom(seed);
  const examples = Array.from({ length: count }, () => {
    const weights = Array.from({ length: 4 }, () => Math.exp(2.5 * random()));
    let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
    const right = Math.max(
      0,
      weights.findIndex((weight) => (left -= weight) < 0),
    );
    const question = { type: 'choice', criteria: { a: null, b: null, c: null, d: null } };
    return JSON.stringify({ state: { weights }, question, answer: 'abcd'[right] });
  });
  writeFileSync(join(folder, 'mine.jsonl'), examples.join('\n'));
  return 'mine.jsonl';
}

/** Knows the weights, and is three times too sure of them. */
const tooSure = (name?: string) =>
  weighing(({ entry }, { options }, place) => {
    const { weights } = entry as unknown as { weights: number[] };
    return (weights['abcd'.indexOf(options[place]?.name ?? '')] ?? 0) ** sharpness;
  }, name);

const parse = (path: string): Calibration => JSON.parse(readFileSync(path, 'utf8')) as Calibration;

suite('nestor calibrate', () => {
  test('finds how much too sure an engine is, writes it and passes its own check', async (t) => {
    const bench = createBench(t, async () => tooSure());
    const file = writeExamples(bench, 1_500);
    assert.equal(await runCalibrate([file], bench.context), 0);
    const path = join(bench.folder, 'data/calibration.json');
    const { temperatures, figures, engine, promptVersion } = readCalibration(path, 'weigher');
    assert.deepEqual([engine, promptVersion, figures.examples], ['weigher', PROMPT_VERSION, 1_500]);
    assert.ok(Math.abs(temperatures.choice.a - sharpness) < 0.5, String(temperatures.choice.a));
    assert.deepEqual(temperatures.noul, { min: 1, a: 1, b: 0 });
    assert.ok(figures.ece < 0.05);
    assert.deepEqual(readdirSync(join(bench.folder, 'data')), ['calibration.json']);
    const [before = 0, heldOut = 0] = [
      ...bench.out().matchAll(/^all: .* (\d\.\d+) +\d\.\d+ +\d\.\d+$/gm),
    ].map(([, nll]) => Number(nll));
    assert.ok(heldOut < before - 0.1, bench.out());
    assert.equal(await runCalibrate([file, '--check'], bench.context), 0, bench.out());
  });

  test('the check fails with both numbers when the engine has changed, up to the bound', async (t) => {
    let engine = tooSure();
    const bench = createBench(t, async () => engine);
    const file = writeExamples(bench, 400);
    assert.equal(await runCalibrate([file], bench.context), 0);
    engine = weighing((_state, _view, place) => place + 1);
    assert.equal(await runCalibrate([file, '--check'], bench.context), 1);
    assert.match(bench.out(), /accuracy: 0\.\d{4} when it was fitted, 0\.\d{4} now: worse by/);
    assert.equal(await runCalibrate([file, '--check', '--bound', '1'], bench.context), 0);
    const path = join(bench.folder, 'data/calibration.json');
    const before = readFileSync(path, 'utf8');
    assert.equal(await runCalibrate([file, '--check'], bench.context), 1);
    assert.equal(readFileSync(path, 'utf8'), before);
  });

  test('eval applies the configured calibration, calibrate does not', async (t) => {
    const env = { NESTOR_DECISIONS_CALIBRATION: 'mine.json' };
    const bench = createBench(t, async () => tooSure(), env);
    const file = writeExamples(bench, 600);
    assert.equal(await runCalibrate([file], bench.context), 0);
    const first = parse(join(bench.folder, 'mine.json'));
    assert.equal(await runCalibrate([file], bench.context), 0);
    assert.deepEqual(parse(join(bench.folder, 'mine.json')).temperatures, first.temperatures);
    assert.equal(await runEval([file, '--out', 'x'], bench.context), 0);
    const report = JSON.parse(readFileSync(join(bench.folder, 'x/report.json'), 'utf8')) as {
      all: { nll: number };
      steps: string;
    };
    assert.ok(Math.abs(report.all.nll - first.figures.nll) < 1e-9);
    assert.match(report.steps, /, calibrated$/);
  });

  test('interrupted, it writes nothing', async (t) => {
    let asked = 0;
    const bench: Bench = createBench(t, async () =>
      weighing(() => {
        if (++asked === 100) bench.stop.abort();
        return 1;
      }),
    );
    assert.equal(await runCalibrate([writeExamples(bench, 200)], bench.context), 130);
    assert.throws(
      () => readCalibration(join(bench.folder, 'data/calibration.json'), 'weigher'),
      /no such file/,
    );
  });

  test('what cannot be done is told', async (t) => {
    const bench = createBench(t, async () => tooSure());
    const file = writeExamples(bench, 40);
    assert.equal(await runCalibrate([file, '--bound', '0.1'], bench.context), 2);
    assert.equal(await runCalibrate([file, '--check', '--bound', 'x'], bench.context), 2);
    assert.equal(await runCalibrate([file, '--check'], bench.context), 1);
    assert.match(bench.err(), /calibration .*calibration\.json: there is no such file/);
    assert.equal(await runCalibrate(['--help'], bench.context), 0);
  });
});

test('a calibration that does not fit is refused in one line that says why', async (t) => {
  const bench = createBench(t, async () => tooSure());
  assert.equal(await runCalibrate([writeExamples(bench, 100)], bench.context), 0);
  const path = join(bench.folder, 'data/calibration.json');
  const good = parse(path);
  const refused = (content: unknown, message: RegExp) => {
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    assert.throws(
      () => readCalibration(path, 'weigher'),
      (error: Error) =>
        message.test(error.message) && error.message.includes(path) && !error.message.includes('\n'),
    );
  };
  refused('{', /not valid JSON/);
  refused([], /not a file of "nestor calibrate"/);
  refused({ ...good, version: 2 }, /its version is 2; this Nestor reads version 1/);
  refused({ ...good, engine: 'local' }, /fitted for the engine "local", but "weigher" answers; fit again/);
  refused({ ...good, promptVersion: 99 }, /fitted for prompt version 99, but this is \d+; fit again/);
  refused(
    { ...good, temperatures: { ...good.temperatures, noul: { min: 0, a: 1, b: 0 } } },
    /temperatures\.noul\.min/,
  );
  writeFileSync(path, JSON.stringify(good));
  assert.deepEqual(readCalibration(path, 'weigher'), good);
});
