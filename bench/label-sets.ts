import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decide } from '../src/features/decisions/decide.ts';
import type { Distribution } from '../src/features/decisions/engine.ts';
import { openEncoderEngine } from '../src/features/decisions/engines/encoder/index.ts';
import { toCases, type Case, type Example } from '../src/features/decisions/evaluation/examples.ts';
import { accuracy, nll, type Outcome } from '../src/features/decisions/evaluation/metrics.ts';
import { readExamples } from '../src/features/decisions/evaluation/read-examples.ts';
import { createRandom, shuffle } from '../src/features/decisions/evaluation/sample.ts';
import { learn } from '../src/features/decisions/learning/learn.ts';
import { withLearned } from '../src/features/decisions/learning/with-learned.ts';
import { questionKey } from '../src/features/decisions/policy.ts';
import { shareEncoder } from '../src/features/models/feature.ts';
import { printTable } from './support/table.ts';

const judgedMax = 40;
const limits = { inputTokensMax: 262_144 };

/**
 * `npm run bench label-sets DATA [SETS]`: 2 to 10 labels of BANKING77 at random and 4 to 8 examples of each, again and again.
 * How many fits are taken, and whether a decider with one is worse than without: on its own held-out folds, and on test rows.
 * DATA holds banking77.
 */
export async function run(): Promise<void> {
  const [data = '', sets = '100'] = process.argv.slice(3);
  const [train = [], judged = []] = ['train', 'test'].map((part) => {
    const path = join(data, 'banking77', `${part}.csv`);
    return readExamples(readFileSync(path), path, { split: part, outside: false }).examples;
  });
  const { signal } = new AbortController();
  const engine = await openEncoderEngine({ openEncoder: shareEncoder(), isAuto: false });
  const { features } = engine;
  if (features === undefined) throw new Error('the encoder is missing');
  const labels = [...new Set(train.map(({ answer }) => String(answer)))].toSorted();
  const all = { before: [] as Outcome[], after: [] as Outcome[] };
  const worse = { folds: 0, accuracy: 0, nll: 0 };
  const [gains, losses]: [number[], number[]] = [[], []];
  let taken = 0;
  for (let set = 1; set <= Number(sets); set++) {
    const random = createRandom(set);
    const chosen = shuffle(labels, set).slice(0, 2 + Math.floor(random() * 9));
    const each = 4 + Math.floor(random() * 5);
    const cases = toCases(drawn(train, chosen, each, set));
    const { head, report } = await learn(engine, features, cases, signal);
    const [first] = cases;
    if (head === null || report === null || first === undefined) continue;
    taken++;
    if (report.after.accuracy < report.before.accuracy || report.after.nll >= report.before.nll)
      worse.folds++;
    const rows = shuffle(toCases(drawn(judged, chosen, 40, set)), set).slice(0, judgedMax);
    const taught = withLearned(engine, new Map([[questionKey(first.question), head]]));
    const before: Outcome[] = [];
    const after: Outcome[] = [];
    for (const row of rows) {
      before.push(await outcomeOf(engine, row));
      after.push(await outcomeOf(taught, row));
    }
    all.before.push(...before);
    all.after.push(...after);
    const gain = accuracy(after) - accuracy(before);
    gains.push(gain);
    losses.push(nll(after) - nll(before));
    if (gain < 0) worse.accuracy++;
    if (nll(after) > nll(before)) worse.nll++;
  }
  await engine.close();
  const figures = (outcomes: readonly Outcome[]) => [accuracy(outcomes).toFixed(3), nll(outcomes).toFixed(3)];
  printTable(
    `${sets} sets, ${taken} fits taken`,
    ['test rows', 'accuracy', 'NLL'],
    [
      ['before', ...figures(all.before)],
      ['after', ...figures(all.after)],
    ],
  );
  printTable(
    'Sets in which the fit that was taken is worse',
    ['', 'sets', 'by at most'],
    [
      ['on held-out folds', String(worse.folds), ''],
      ['accuracy on test rows', String(worse.accuracy), Math.max(0, -Math.min(...gains)).toFixed(3)],
      ['NLL on test rows', String(worse.nll), Math.max(0, ...losses).toFixed(3)],
    ],
  );

  async function outcomeOf(
    asked: typeof engine | ReturnType<typeof withLearned>,
    { state, question, right }: Case,
  ) {
    const { distributions } = await decide(asked, limits, state, [question], signal);
    const probabilities: Distribution = distributions[0] ?? [];
    return { probabilities, right, chosen: probabilities.indexOf(Math.max(...probabilities)) };
  }
}

/** Some rows of each label, asked with these labels alone. */
function drawn(
  rows: readonly Example[],
  labels: readonly string[],
  each: number,
  seed: number,
): readonly Example[] {
  const question = {
    type: 'choice' as const,
    criteria: Object.fromEntries(labels.map((label) => [label, null])),
  };
  return labels.flatMap((label) =>
    shuffle(
      rows.filter(({ answer }) => answer === label),
      seed,
    )
      .slice(0, each)
      .map((row) => ({ ...row, question })),
  );
}
