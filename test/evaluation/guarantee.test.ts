import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { readGuarantees } from '../../src/features/decisions/deciders/guarantee-file.ts';
import { toCoverageSvg } from '../../src/features/decisions/guarantee/coverage-svg.ts';
import { toDiagram } from '../../src/features/decisions/guarantee/kept-curve.ts';
import { runGuarantee } from '../../src/features/decisions/commands/guarantee.ts';
import { createRandom } from '../../src/features/decisions/evaluation/sample.ts';
import type { Thresholds } from '../../src/features/decisions/policy.ts';
import { normalizeQuestion } from '../../src/features/decisions/normalize-question.ts';
import { isGiven, questionKey } from '../../src/features/decisions/policy.ts';
import { PROMPT_VERSION } from '../../src/features/decisions/prompt.ts';
import { createBench, weighing, type Bench } from './support.ts';
import { checkXml } from './xml.ts';

const topic = { type: 'choice', instructions: 'Which topic?', criteria: { a: null, b: null } } as const;
const place = { type: 'choice', instructions: 'Which place?', criteria: { a: null, b: null } } as const;
const urgent = { type: 'noul', instructions: 'Is it urgent?' } as const;

/** States say how likely the first option is; the answers are drawn from that. */
function lines(question: object, count: number, seed: number, sure: (random: number) => number): string[] {
  const random = createRandom(seed);
  const names = Reflect.get(question, 'type') === 'noul' ? [true, false] : ['a', 'b'];
  return Array.from({ length: count }, () => {
    const first = sure(random());
    return JSON.stringify({ state: { first }, question, answer: names[random() < first ? 0 : 1] });
  });
}

const honest = () =>
  weighing(({ entry }, { options }, at) => {
    const { first } = entry as unknown as { first: number };
    return ['true', 'a'].includes(options[at]?.name ?? '') ? first : 1 - first;
  });

const write = ({ folder }: Bench, rows: readonly string[]) =>
  writeFileSync(join(folder, 'mine.jsonl'), rows.join('\n'));

/** `guarantee.json`, with its thresholds as a policy has them. */
function readGuarantee(folder: string) {
  const {
    thresholds,
    curves: _curves,
    ...rest
  } = JSON.parse(readFileSync(join(folder, 'guarantee.json'), 'utf8')) as {
    readonly [name: string]: unknown;
    readonly thresholds: {
      readonly by_kind: Thresholds['byKind'];
      readonly by_question: Thresholds['byQuestion'];
    };
  };
  return { ...rest, thresholds: { byKind: thresholds.by_kind, byQuestion: thresholds.by_question } };
}

suite('nestor guarantee', () => {
  test('writes thresholds by kind and by question, which a policy applies', async (t) => {
    const bench = createBench(t, async () => honest());
    write(bench, [
      ...lines(topic, 2_000, 1, (random) => random),
      ...lines(place, 600, 2, () => 0.6),
      ...lines(urgent, 200, 3, () => 0.999),
    ]);
    assert.equal(await runGuarantee(['mine.jsonl', '--max-error', '0.1'], bench.context), 0, bench.err());
    const folder = join(bench.folder, 'data/guarantee/mine');
    const { thresholds, ...rest } = readGuarantee(folder);
    const fingerprint = { engine: 'weigher' };
    const made = {
      max_error: 0.1,
      confidence: 0.95,
      engine: 'weigher',
      prompt_version: PROMPT_VERSION,
      fingerprint,
    };
    assert.deepEqual(rest, made);
    const [known, guessed, asked] = [topic, place, urgent].map((question) =>
      normalizeQuestion(question, 'q'),
    );
    assert.ok(known !== undefined && guessed !== undefined && asked !== undefined);
    const found = thresholds.byQuestion[questionKey(known)];
    // Confidence is spread evenly here, so that the error of what is answered is 0.1 from 0.6 on.
    assert.ok(typeof found === 'number' && found >= 0.6 && found < 1, String(found));
    assert.equal(thresholds.byQuestion[questionKey(guessed)], null);
    assert.deepEqual([thresholds.byKind.noul, thresholds.byKind.score], [0, null]);
    assert.equal(isGiven(thresholds, known, [0.99, 0.01]), true);
    assert.equal(isGiven(thresholds, known, [0.6, 0.4]), false);
    assert.equal(isGiven(thresholds, guessed, [1, 0]), false);
    assert.match(bench.out(), /At most 10 % of what is answered is wrong, with 95 % confidence/);
    assert.match(bench.out(), /choice: no confidence keeps to the bound on 600 rows\. It is never answered/);
    const diagrams = readdirSync(folder).filter((name) => name.endsWith('.svg'));
    assert.equal(diagrams.length, 5);
    for (const name of diagrams) checkXml(readFileSync(join(folder, name), 'utf8'));
  });

  test('too few rows: says how many it takes, answers never, and ends with 1', async (t) => {
    const bench = createBench(t, async () => honest());
    write(
      bench,
      lines(urgent, 50, 1, () => 1),
    );
    assert.equal(await runGuarantee(['mine.jsonl', '--max-error', '0.05'], bench.context), 1);
    assert.match(bench.out(), /noul: 50 rows are too few; 97 are the least\. It is never answered/);
    assert.ok(!bench.out().includes('At most'));
    const { thresholds } = readGuarantee(join(bench.folder, 'data/guarantee/mine'));
    assert.deepEqual(thresholds, { byKind: { noul: null, choice: null, score: null }, byQuestion: {} });
  });

  test('interrupted, it writes nothing', async (t) => {
    let asked = 0;
    const bench: Bench = createBench(t, async () =>
      weighing(() => {
        if (++asked === 100) bench.stop.abort();
        return 1;
      }),
    );
    write(
      bench,
      lines(urgent, 200, 1, () => 1),
    );
    assert.equal(await runGuarantee(['mine.jsonl', '--max-error', '0.05'], bench.context), 130);
    assert.deepEqual(readdirSync(bench.folder), ['mine.jsonl']);
  });

  test('what cannot be done is told', async (t) => {
    const bench = createBench(t, async () => honest());
    write(
      bench,
      lines(urgent, 100, 1, () => 1),
    );
    assert.equal(await runGuarantee(['mine.jsonl'], bench.context), 2);
    for (const share of ['0', '1', '5', 'x', ''])
      assert.equal(await runGuarantee(['mine.jsonl', `--max-error=${share}`], bench.context), 2, share);
    assert.equal(await runGuarantee(['mine.jsonl', '--max-error', '0.05', '--out', 'x'], bench.context), 0);
    const folder = join(bench.folder, 'x');
    assert.deepEqual(readdirSync(folder), ['coverage-noul.svg', 'guarantee.json', 'report.json']);
    // The guarantee alone is enough to draw what the command has drawn.
    const [kept] = readGuarantees(join(folder, 'guarantee.json'));
    const diagram = kept === undefined ? null : toDiagram(kept, 'noul', 'weigher on mine.jsonl');
    assert.ok(diagram !== null);
    assert.equal(toCoverageSvg(diagram), readFileSync(join(folder, 'coverage-noul.svg'), 'utf8'));
  });
});
