import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEncoderEngine } from '../src/features/decisions/engines/encoder/index.ts';
import { toCases } from '../src/features/decisions/evaluation/examples.ts';
import { accuracy } from '../src/features/decisions/evaluation/metrics.ts';
import { readExamples } from '../src/features/decisions/evaluation/read-examples.ts';
import { ece } from '../src/features/decisions/evaluation/reliability.ts';
import { shuffle } from '../src/features/decisions/evaluation/sample.ts';
import { answerOf } from '../src/features/decisions/learning/fit-head.ts';
import { learn } from '../src/features/decisions/learning/learn.ts';
import { canonicalOrder, reorder } from '../src/features/decisions/order.ts';
import { shareEncoder } from '../src/features/models/feature.ts';
import { printTable, type Row } from './support/table.ts';

const draws = [1, 2, 3];

/**
 * `npm run bench learning DATA [EXAMPLES...]`: what examples of each label teach, drawn from the train rows of BANKING77 and
 * judged on its test rows. DATA holds banking77.
 */
export async function run(): Promise<void> {
  const [data = '', ...wanted] = process.argv.slice(3);
  const counts = wanted.length === 0 ? [3, 5, 10] : wanted.map(Number);
  const [train, judged] = ['train', 'test'].map((part) => {
    const path = join(data, 'banking77', `${part}.csv`);
    const { examples } = readExamples(readFileSync(path), path, { split: part, outside: false });
    return toCases(examples);
  });
  if (train === undefined || judged === undefined) throw new Error('usage: npm run bench learning DATA');
  const { signal } = new AbortController();
  const engine = await openEncoderEngine({ openEncoder: shareEncoder(), isAuto: false });
  const { features } = engine;
  const [first] = judged;
  if (features === undefined || first === undefined) throw new Error('the encoder is missing');
  const question = reorder(first.question, canonicalOrder(first.question));
  const known = [];
  for (let from = 0; from < judged.length; from += 64) {
    const states = judged.slice(from, from + 64).map(({ state }) => state);
    known.push(...(await features.of(states, question, signal)));
  }
  const byLabel = Map.groupBy(train.keys(), (row) => train[row]?.right ?? 0);
  const table: Row[] = [];
  for (const count of counts)
    for (const seed of draws) {
      const rows = [...byLabel.values()].flatMap((own) => shuffle(own, seed).slice(0, count));
      const cases = rows.flatMap((row) => train[row] ?? []);
      const from = process.cpuUsage();
      const { head, report } = await learn(engine, features, cases, signal);
      const { user, system } = process.cpuUsage(from);
      if (head === null || report === null) throw new Error('nothing was learned');
      const order = canonicalOrder(first.question);
      const outcomes = known.map(({ vector, prior }, row) => {
        const probabilities = answerOf(head, vector, prior);
        const right = order.indexOf(judged[row]?.right ?? 0);
        return { probabilities, right, chosen: probabilities.indexOf(Math.max(...probabilities)) };
      });
      const figures = [accuracy(outcomes), ece(outcomes)].map((figure) => figure.toFixed(3));
      const before = report.before.accuracy.toFixed(3);
      table.push([`${count} a label, draw ${seed}`, report.kind, before, ...figures, (user + system) / 1e6]);
    }
  await engine.close();
  printTable('BANKING77', ['', 'head', 'before', 'accuracy', 'ECE', 'CPU s'], table);
}
