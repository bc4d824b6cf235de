import { basename } from 'node:path';
import { mkdirSync } from 'node:fs';
import { toMarkdownTable } from '../src/features/decisions/evaluation/table.ts';
import type { Compared } from '../src/features/decisions/evaluation/compare.ts';
import { askDecider, type Decider } from './support/decider.ts';
import { writeDeciderRows } from './support/decider-rows.ts';

/**
 * `npm run bench deciders DATA OUT DECIDER...`: engines and models on the same rows, as in the table of docs/guide/decision-models.md. DATA
 * holds banking77, clinc150 and bbh. A decider is an engine that needs no file (`words`), a folder in ONNX form or a GGUF
 * file; `FILE@60` asks it no more than 60 of the 300 rows of each set, which are among those of the others. What OUT holds
 * of an earlier run is not measured again.
 */
export async function run(): Promise<void> {
  const [data = '', out = '', ...named] = process.argv.slice(3);
  if (named.length === 0) throw new Error('usage: npm run bench deciders DATA OUT DECIDER...');
  mkdirSync(out, { recursive: true });
  const deciders = named.map(toDecider);
  const table: string[][] = [];
  for (const set of writeDeciderRows(data, out))
    for (const decider of deciders) {
      const compared = await askDecider(decider, set, out);
      process.stderr.write(`${set.name}, ${decider.name}: ${compared.problem ?? 'asked'}\n`);
      table.push([set.name, decider.name, ...toCells(compared)]);
    }
  console.log(toMarkdownTable([head, ...table]));
}

const rowsMax = 300;

function toDecider(text: string): Decider {
  const [, target = '', rows] = /^(.*?)(?:@(\d+))?$/.exec(text) ?? [];
  const name = basename(target, '.gguf')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 32);
  const engine = target.endsWith('.gguf') ? 'local' : 'onnx';
  const rest = { name, rows: Number(rows ?? rowsMax) };
  return target.includes('/') ? { ...rest, engine, path: target } : { ...rest, engine: target, path: null };
}

const head = [
  'rows',
  'decider',
  'questions',
  'accuracy',
  '95 % interval',
  'macro-F1',
  'AUROC',
  'ECE',
  'NLL',
  'order flips',
  'p + p’',
  '|p + p’ - 1|',
  'CPU ms',
  'MB',
];

function toCells({ measures, cost, memoryBytes }: Compared): readonly string[] {
  if (measures === null) return head.slice(2).map(() => '–');
  const { count, accuracy, accuracyInterval, macroF1, auroc, ece, nll, orderFlips, negation } = measures;
  return [
    String(count),
    share(accuracy),
    accuracyInterval.map(share).join('–'),
    share(macroF1),
    share(auroc),
    share(ece),
    share(nll),
    share(orderFlips?.rate),
    share(negation?.sum),
    share(negation?.incoherence),
    cost === null ? '–' : cost.cpuMs.toFixed(cost.cpuMs < 10 ? 1 : 0),
    memoryBytes === null ? '–' : (memoryBytes / 1e6).toFixed(0),
  ];
}

const share = (value: number | null | undefined) => value?.toFixed(3) ?? '–';
