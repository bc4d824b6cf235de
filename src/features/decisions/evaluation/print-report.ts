import { nllFloor } from './metrics.ts';
import { coverages, type Measures } from './measures.ts';
import { binsOfEce } from './reliability.ts';
import { kinds, type Report } from './report.ts';
import { none, share, toMarkdownTable, toPlain, type Table } from './table.ts';

export function toText(report: Report): string {
  return [`${headline(report)}\n`, toPlain(toTable(report)), '', ...remarks(report)].join('\n');
}

/** For a repository or a page; the diagram stands beside it. */
export function toMarkdown(report: Report): string {
  const { startedAt, durationMs, concurrency, promptVersion } = report;
  return [
    '# Evaluation',
    '',
    `${headline(report)}.`,
    '',
    toMarkdownTable(toTable(report)),
    '',
    '![Reliability](reliability.svg)',
    '',
    ...remarks(report).map((remark) => `- ${remark}`),
    `- ${startedAt}, ${(durationMs / 1_000).toFixed(1)} s, ${concurrency} at once, prompt version ${promptVersion}.`,
    '',
  ].join('\n');
}

function headline({ engine, files, steps, complete, all, failed }: Report): string {
  const part = complete ? '' : ' (interrupted)';
  const lost = failed === 0 ? '' : `, ${failed} failed`;
  const where = files.length > 3 ? `${files.length} files` : files.join(', ');
  return `Engine "${engine}" (${steps}) on ${where}: ${all.count} answered${lost}${part}`;
}

function remarks({ all, failed, firstFailure }: Report): string[] {
  const notes = [
    `NLL in nats; a probability below ${nllFloor} counts as ${nllFloor} (${all.floored} right answers did). Brier is summed over options. ECE over ${binsOfEce} bins.`,
  ];
  if (all.negation !== null) {
    notes.push(
      'Negation: p is the probability of yes, p’ of yes to the denial. Right way: p’ < p where the answer is yes, p’ > p where it is no.',
    );
  }
  if (failed > 0) notes.push(`${failed} questions failed and are left out; the first: ${firstFailure}`);
  return notes;
}

type Row = readonly [name: string, cell: (measures: Measures) => string];

const rows: readonly Row[] = [
  ['questions', ({ count }) => String(count)],
  ['accuracy', ({ accuracy }) => share(accuracy)],
  ['  95 % interval', ({ accuracyInterval: [low, high] }) => `${share(low)}–${share(high)}`],
  ['  chance', ({ chance }) => share(chance)],
  ['macro-F1', ({ macroF1 }) => share(macroF1)],
  ['NLL', ({ nll }) => share(nll)],
  ['Brier', ({ brier }) => share(brier)],
  ['ECE', ({ ece }) => share(ece)],
  ['AUROC', ({ auroc }) => share(auroc)],
  ['score: mean absolute error', ({ scores }) => share(scores?.meanAbsoluteError)],
  ['score: Spearman', ({ scores }) => share(scores?.spearman)],
  ['order flips', ({ orderFlips }) => share(orderFlips?.rate)],
  ['negation: p + p’', ({ negation }) => share(negation?.sum)],
  ['negation: |p + p’ - 1|', ({ negation }) => share(negation?.incoherence)],
  ['negation: right way', ({ negation }) => share(negation?.rightWay)],
  ...coverages.map((coverage): Row => [
    `accuracy of the surest ${coverage * 100} %`,
    ({ selective }) => share(selective.find((entry) => entry.coverage === coverage)?.accuracy),
  ]),
  ['latency p50 (ms)', ({ latencyMs }) => latencyMs.p50.toFixed(2)],
  ['latency p95 (ms)', ({ latencyMs }) => latencyMs.p95.toFixed(2)],
  ['latency p99 (ms)', ({ latencyMs }) => latencyMs.p99.toFixed(2)],
];

/** Measures as rows and kinds as columns, without empty rows. */
function toTable({ all, kinds: byKind, labelMass }: Report): Table {
  const present = kinds.flatMap((kind) => {
    const measures = byKind[kind];
    return measures === undefined ? [] : [[kind, measures] as const];
  });
  const columns: readonly (readonly [string, Measures])[] =
    present.length === 1 ? present : [['all', all] as const, ...present];
  const filled = rows
    .map(([name, cell]) => [name, ...columns.map(([, measures]) => cell(measures))])
    .filter(([, ...cells]) => cells.some((cell) => cell !== none));
  const massRow = (name: string, mass: number) => [
    `label mass: ${name}`,
    share(mass),
    ...columns.slice(1).map(() => none),
  ];
  const masses = labelMass === null ? [] : [massRow('mean', labelMass.mean), massRow('p5', labelMass.p5)];
  return [['', ...columns.map(([name]) => name)], ...filled, ...masses];
}
