import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { shuffle } from '../src/features/decisions/evaluation/sample.ts';
import { fitCascade, type JudgedRow } from '../src/features/decisions/guarantee/cascade.ts';
import { findThreshold, type Judged } from '../src/features/decisions/guarantee/threshold.ts';
import { pack, toJudged } from './support/packed-answers.ts';
import { largeAnswers } from './support/simulated-large.ts';
import { askOnce, guaranteeFiles, type AskedFile } from './support/stored-answers.ts';
import { printTable, type Row } from './support/table.ts';

const splits = 200;
const targets = [0.01, 0.05, 0.1];
const confidence = 0.95;

/**
 * `npm run bench guarantee DATA OUT ENGINE...`: does the error of what is answered keep to its bound? Each engine answers every row
 * once; thresholds are fitted on one half of them and judged on the other, for 200 halvings. DATA holds banking77 and
 * clinc150; an engine is `words`, `encoder`, a folder in ONNX form or a cascade of these, such as `words+encoder+large`, where
 * `large` is simulated. OUT keeps the answers for the next run, and those of a cascade as its test reads them.
 */
export async function run(): Promise<void> {
  const [data = '', out = '', ...engines] = process.argv.slice(3);
  if (engines.length === 0) throw new Error('usage: npm run bench guarantee DATA OUT ENGINE...');
  const table: Row[] = [];
  const packed: Record<string, Record<string, string>> = {};
  for (const engine of engines)
    for (const file of guaranteeFiles(data)) {
      const names = engine.split('+');
      const stages = await askStages(names, file, out);
      if (names.length > 1)
        packed[file.name] = Object.fromEntries(names.map((name, at) => [name, pack(stages[at] ?? [])]));
      const rows = (stages[0] ?? []).map((_, row) => stages.flatMap((stage) => stage[row] ?? []));
      for (const maxError of targets)
        table.push([file.name, names.map((name) => basename(name)).join('+'), ...judge(rows, maxError)]);
    }
  if (Object.keys(packed).length > 0)
    writeFileSync(join(out, 'cascade-answers.json'), JSON.stringify(packed));
  const head = ['rows', 'engine', 'bound', 'kept in', 'none found', 'answered', 'wrong', 'asked'];
  printTable(`${splits} halvings, ${confidence} confidence; shares of 1`, head, table);
}

async function askStages(
  names: readonly string[],
  file: AskedFile,
  out: string,
): Promise<readonly (readonly Judged[])[]> {
  const stages: (readonly Judged[])[] = [];
  for (const name of names)
    stages.push(
      name === 'large'
        ? largeAnswers(stages[0]?.length ?? 0)
        : (await askOnce(name, file, out)).map(toJudged),
    );
  return stages;
}

/** `answered` and `wrong` are means over the halvings, `wrong` over those that answered something; `asked` is by stage. */
function judge(rows: readonly (readonly Judged[])[], maxError: number): Row {
  const coverage: number[] = [];
  const errors: number[] = [];
  const asked = (rows[0] ?? []).map(() => 0);
  let none = 0;
  for (let seed = 1; seed <= splits; seed++) {
    const shuffled = shuffle(rows, seed);
    const middle = Math.floor(rows.length / 2);
    const thresholds = thresholdsFor(shuffled.slice(0, middle), maxError);
    if (thresholds === null) none++;
    const judged = shuffled.slice(middle);
    let [answered, wrong] = [0, 0];
    for (const row of judged)
      for (const [stage, one] of row.entries()) {
        const threshold = thresholds?.[stage] ?? null;
        asked[stage] = (asked[stage] ?? 0) + 1 / judged.length / splits;
        if (threshold === null || one.confidence < threshold) continue;
        answered++;
        wrong += Number(one.isWrong);
        break;
      }
    coverage.push(answered / judged.length);
    if (answered > 0) errors.push(wrong / answered);
  }
  const over = errors.filter((error) => error > maxError).length;
  const mean = (values: readonly number[]) =>
    values.length === 0 ? '–' : (values.reduce((a, b) => a + b, 0) / values.length).toFixed(3);
  const shares = asked.map((share) => share.toFixed(2)).join(' ');
  return [maxError, (1 - over / splits).toFixed(3), none, mean(coverage), mean(errors), shares];
}

function thresholdsFor(rows: readonly JudgedRow[], maxError: number): readonly (number | null)[] | null {
  const target = { maxError, confidence };
  if ((rows[0]?.length ?? 0) > 1) return fitCascade(rows, target).at?.thresholds ?? null;
  const threshold = findThreshold(
    rows.flatMap(([first]) => first ?? []),
    target,
  );
  return threshold === null ? null : [threshold];
}
