import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { runCalibrate } from '../../src/features/decisions/commands/calibrate.ts';
import { runEval } from '../../src/features/decisions/commands/eval.ts';
import { openBareDecisions } from '../../src/features/decisions/open-decisions.ts';
import { load, messageOf } from '../../src/kernel/config/config.fixture.ts';
import { createBench, type Bench } from '../evaluation/support.ts';
import { counts, openTestIndex } from '../search/index-support.ts';

/** Questions that the engine answers, for a bench that opens engines as the command does. */
async function writeExamples({ folder }: Bench): Promise<string> {
  const question = { type: 'choice', criteria: { invoice: null, parcel: null } };
  const lines = ['invoice', 'parcel'].map((answer) =>
    JSON.stringify({ state: `Where is my ${answer}?`, question, answer }),
  );
  await writeFile(join(folder, 'mine.jsonl'), lines.join('\n'));
  return 'mine.jsonl';
}

suite('the engine that was called baseline', () => {
  test('is words in the file and in the environment', () => {
    const { decisions, embeddings } = load(`decisions:
  engine: baseline
  compare: [{ name: baseline, engine: baseline }]
embeddings: { engine: baseline }`);
    const [compared] = decisions.compare;
    assert.deepEqual(
      [decisions.engine, compared?.name, compared?.engine, embeddings.engine],
      ['words', 'baseline', 'words', 'words'],
    );
    const named = load('', { NESTOR_DECISIONS_ENGINE: 'baseline', NESTOR_EMBEDDINGS_ENGINE: 'baseline' });
    assert.deepEqual([named.decisions.engine, named.embeddings.engine], ['words', 'words']);
    assert.match(
      messageOf('decisions: { engine: base }'),
      /is "base"; allowed: auto, words, encoder, local,/,
    );
    assert.match(messageOf('log: { level: baseline }'), /^c\.yaml: log\.level is "baseline"/);
  });

  test('is asked by `nestor eval` under either name', async (t) => {
    const bench = createBench(t, openBareDecisions);
    const file = await writeExamples(bench);
    assert.equal(await runEval([file, '--engine', 'baseline', '--json'], bench.context), 0, bench.err());
    assert.equal((JSON.parse(bench.out()) as { engine: string }).engine, 'words');
    const argv = [file, '--engines', 'baseline,words', '--out', 'both'];
    assert.equal(await runEval(argv, bench.context), 0, bench.err());
    const text = await readFile(join(bench.folder, 'both/comparison.json'), 'utf8');
    const { engines } = JSON.parse(text) as {
      engines: { name: string; engine: string; measures: Record<string, unknown> }[];
    };
    assert.deepEqual(
      engines.map(({ name, engine }) => [name, engine]),
      [
        ['baseline', 'words'],
        ['words', 'words'],
      ],
    );
    assert.equal(engines[0]?.measures['nll'], engines[1]?.measures['nll']);
    assert.deepEqual(
      bench.requests.map(({ engine }) => engine),
      ['words', 'words', 'words'],
    );
  });

  test('keeps a calibration that was fitted for it', async (t) => {
    const env = { NESTOR_DECISIONS_ENGINE: 'baseline', NESTOR_DECISIONS_CALIBRATION: 'mine.json' };
    const bench = createBench(t, openBareDecisions, env);
    const file = await writeExamples(bench);
    assert.equal(await runCalibrate([file], bench.context), 0, bench.err());
    const path = join(bench.folder, 'mine.json');
    const fitted = await readFile(path, 'utf8');
    assert.match(fitted, /"engine": "words"/);
    await writeFile(path, fitted.replace('"engine": "words"', '"engine": "baseline"'));
    assert.equal(await runCalibrate([file, '--check'], bench.context), 0, bench.err());
    assert.equal(await runEval([file, '--engines', 'baseline', '--out', 'one'], bench.context), 0);
    assert.match(await readFile(join(bench.folder, 'one/comparison.md'), 'utf8'), /, calibrated$/m);
    await writeFile(path, fitted.replace('"engine": "words"', '"engine": "local"'));
    assert.equal(await runCalibrate([file, '--check'], bench.context), 1);
    assert.match(bench.err(), /fitted for the engine "local", but "words" answers/);
  });

  test('keeps the vectors that it made for the index', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'nestor-renamed-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'a.md'), 'The albatross glides.');
    const index = await openTestIndex(t);
    await index.add('folder', folder);
    await index.sayEmbeddedBy('baseline');
    assert.deepEqual(counts((await index.refresh(folder)) ?? assert.fail('busy')), { unchanged: 1 });
    await index.sayEmbeddedBy('local');
    assert.deepEqual(counts((await index.refresh(folder)) ?? assert.fail('busy')), { changed: 1 });
  });
});
