import { readFileSync } from 'node:fs';
import { openEncoderEngine } from '../src/features/decisions/engines/encoder/index.ts';
import type { NormalizedQuestion } from '../src/features/decisions/engine.ts';
import { toCases, type Case } from '../src/features/decisions/evaluation/examples.ts';
import { accuracy, nll, type Outcome } from '../src/features/decisions/evaluation/metrics.ts';
import { readExamples } from '../src/features/decisions/evaluation/read-examples.ts';
import { shuffle } from '../src/features/decisions/evaluation/sample.ts';
import { shareEncoder } from '../src/features/models/feature.ts';
import { printTable, type Row } from './support/table.ts';

const files = [
  { name: 'BANKING77', train: 'banking77/train.csv', test: 'banking77/test.csv' },
  { name: 'CLINC150', train: 'clinc150/data_full.json', test: 'clinc150/data_full.json' },
];
const counts = [0, 1, 3, 5];
const [draws, labelsOfOne, rowsOfOne] = [10, 10, 30];

/**
 * `npm run bench examples DATA`: what examples in a question are worth to `encoder`. Ten draws of ten labels, each asked about as one
 * choice and its first label as a yes or no; rows are of the test part, examples of the train part. DATA holds banking77 and
 * clinc150.
 */
export async function run(): Promise<void> {
  const [data = ''] = process.argv.slice(3);
  if (data === '') throw new Error('usage: npm run bench examples DATA');
  const engine = await openEncoderEngine({ openEncoder: shareEncoder(), isAuto: false });
  const { signal } = new AbortController();
  const table: Row[] = [];
  for (const file of files) {
    const [train, test] = (['train', 'test'] as const).map((split) => {
      const path = `${data}/${file[split]}`;
      return toCases(readExamples(readFileSync(path), path, { split, outside: false }).examples);
    });
    for (const kind of ['choice', 'noul'] as const)
      for (const [covered, each] of [
        ...counts.map((count) => [labelsOfOne, count] as const),
        [labelsOfOne / 2, 3] as const,
      ]) {
        if (kind === 'noul' && covered < labelsOfOne) continue;
        const outcomes: Outcome[] = [];
        for (let seed = 1; seed <= draws; seed++)
          for (const { row, question, right } of draw(train ?? [], test ?? [], kind, covered, each, seed)) {
            const [probabilities = []] = await engine.score(row.state, [question], signal);
            const chosen = probabilities.indexOf(Math.max(...probabilities));
            outcomes.push({ probabilities, right, chosen });
          }
        const of = covered < labelsOfOne ? `${each}, of half of them` : each;
        table.push([
          file.name,
          kind,
          of,
          outcomes.length,
          accuracy(outcomes).toFixed(3),
          nll(outcomes).toFixed(3),
        ]);
      }
  }
  await engine.close();
  printTable('Examples in a question', ['', 'kind', 'of each', 'rows', 'accuracy', 'NLL'], table);
}

const nameOf = ({ question, right }: Case) => question.options[right]?.name ?? '';

/** Rows of one draw with the question that they are asked. */
function draw(
  train: readonly Case[],
  test: readonly Case[],
  kind: 'choice' | 'noul',
  covered: number,
  each: number,
  seed: number,
) {
  const labels = shuffle([...new Set(test.map(nameOf))].toSorted(), seed).slice(0, labelsOfOne);
  const [topic = ''] = labels;
  const known = labels.slice(0, covered).flatMap((label) =>
    shuffle(
      train.filter((one) => nameOf(one) === label),
      seed,
    )
      .slice(0, each)
      .map(({ state: { text } }) => ({ text, answer: label })),
  );
  const rest = known.filter(({ answer }) => answer !== topic);
  const examples =
    kind === 'choice'
      ? known
      : [
          ...known.filter(({ answer }) => answer === topic).map(({ text }) => ({ text, answer: 'true' })),
          ...shuffle(rest, seed)
            .slice(0, each)
            .map(({ text }) => ({ text, answer: 'false' })),
        ];
  const names = kind === 'choice' ? labels : ['true', 'false'];
  const question: NormalizedQuestion = {
    kind,
    question: kind === 'choice' ? '' : `Is the message about ${topic}?`,
    options: names.map((name) => ({ name, description: '' })),
    ...(examples.length > 0 && { examples }),
  };
  const rows = shuffle(
    test.filter((one) => labels.includes(nameOf(one))),
    seed,
  );
  const ofTopic = rows.filter((one) => nameOf(one) === topic);
  const others = rows.filter((one) => nameOf(one) !== topic);
  const half = rowsOfOne / 2;
  const asked =
    kind === 'choice' ? rows.slice(0, rowsOfOne) : [...ofTopic.slice(0, half), ...others.slice(0, half)];
  return asked.map((row) => {
    const right = kind === 'choice' ? labels.indexOf(nameOf(row)) : nameOf(row) === topic ? 0 : 1;
    return { row, question, right };
  });
}
