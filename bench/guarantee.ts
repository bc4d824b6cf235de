import { basename } from 'node:path';
import { confidenceOf } from '../src/features/decisions/answer.ts';
import { shuffle } from '../src/features/decisions/evaluation/sample.ts';
import { findThreshold, toPoint, type Judged } from '../src/features/decisions/guarantee/threshold.ts';
import { askOnce, guaranteeFiles } from './support/stored-answers.ts';
import { printTable, type Row } from './support/table.ts';

const splits = 200;
const targets = [0.01, 0.05, 0.1];
const confidence = 0.95;

/**
 * `npm run bench guarantee DATA OUT ENGINE...`: does the error of what is answered keep to its bound? Each engine answers every row
 * once; a threshold is fitted on one half of them and judged on the other, for 200 halvings. DATA holds banking77 and
 * clinc150; an engine is `words`, `encoder` or a folder in ONNX form. OUT keeps the answers for the next run.
 */
export async function run(): Promise<void> {
  const [data = '', out = '', ...engines] = process.argv.slice(3);
  if (engines.length === 0) throw new Error('usage: npm run bench guarantee DATA OUT ENGINE...');
  const table: Row[] = [];
  for (const engine of engines)
    for (const file of guaranteeFiles(data)) {
      const answers = await askOnce(engine, file, out);
      const rows = answers.map(({ kind, probabilities, right, chosen }) => ({
        confidence: confidenceOf(kind, probabilities),
        isWrong: right !== chosen,
      }));
      for (const maxError of targets) table.push([file.name, basename(engine), ...judge(rows, maxError)]);
    }
  const head = ['rows', 'engine', 'bound', 'kept in', 'none found', 'answered', 'wrong', 'wrong of all'];
  printTable(`${splits} halvings, ${confidence} confidence; shares of 1`, head, table);
}

/** `answered` and `wrong` are means over the halvings, `wrong` over those that answered something. */
function judge(rows: readonly Judged[], maxError: number): Row {
  const held: { coverage: number; error: number | null }[] = [];
  let none = 0;
  for (let seed = 1; seed <= splits; seed++) {
    const shuffled = shuffle(rows, seed);
    const middle = Math.floor(rows.length / 2);
    const threshold = findThreshold(shuffled.slice(0, middle), { maxError, confidence });
    if (threshold === null) none++;
    else held.push(toPoint(shuffled.slice(middle), threshold, confidence));
  }
  const errors = held.flatMap(({ error }) => (error === null ? [] : [error]));
  const kept = none + held.length - errors.filter((error) => error > maxError).length;
  const mean = (values: readonly number[]) =>
    values.length === 0 ? '–' : (values.reduce((a, b) => a + b, 0) / values.length).toFixed(3);
  const coverage = [...held.map((one) => one.coverage), ...Array.from({ length: none }, () => 0)];
  const all = mean(rows.map(({ isWrong }) => Number(isWrong)));
  return [maxError, (kept / splits).toFixed(3), none, mean(coverage), mean(errors), all];
}
