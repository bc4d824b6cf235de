import type { Measures } from './measures.ts';
import { toMeasures } from './measures.ts';
import type { Run } from './run.ts';
import { none, share, toMarkdownTable, toPlain, type Table } from './table.ts';

/** What a run took of this process. */
export interface Usage {
  /** Unit: ms of CPU, of all threads. */
  readonly cpuMs: number;
  /** By how much the process had grown when the last question was answered. Unit: bytes. */
  readonly memoryBytes: number;
}

/** Reads what this process has taken so far. */
export interface Meter {
  cpuMs(): number;
  memoryBytes(): number;
}

export const processMeter: Meter = {
  cpuMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  memoryBytes: () => process.memoryUsage.rss(),
};

/** One engine of a comparison. */
export interface Compared {
  /** As it was named. */
  readonly name: string;
  /** The engine that answered; null where none could. */
  readonly engine: string | null;
  /** Description of the steps around it. */
  readonly steps: string | null;
  /** Why it could not answer. */
  readonly problem: string | null;
  readonly measures: Measures | null;
  /** Questions on which it failed; they are left out. */
  readonly failed: number;
  readonly complete: boolean;
  /** Of one question, those that were asked again included. */
  readonly cost: Cost | null;
  readonly memoryBytes: number | null;
}

export interface Cost {
  /** Unit: ms of CPU in this process. */
  readonly cpuMs: number;
  readonly inputTokens: number;
  /** At the price that this server's callers pay. Unit: USD. */
  readonly usd: number;
}

/** Sums up what one engine did. The run must have a trial. `priceUsdPerMillion`: of input tokens. */
export function toCompared(
  subject: Pick<Compared, 'name' | 'engine' | 'steps'>,
  { trials, failed, complete }: Run,
  { cpuMs, memoryBytes }: Usage,
  priceUsdPerMillion: number,
): Compared {
  const asked = trials.reduce((sum, { asks }) => sum + asks, 0);
  const inputTokens = trials.reduce((sum, trial) => sum + trial.inputTokens, 0) / trials.length;
  return {
    ...subject,
    problem: null,
    measures: toMeasures(trials),
    failed,
    complete,
    cost: { cpuMs: cpuMs / asked, inputTokens, usd: (inputTokens * priceUsdPerMillion) / 1e6 },
    memoryBytes,
  };
}

/** What is left of an engine that could not answer. */
export const toFailed = (name: string, problem: string): Compared => ({
  name,
  engine: null,
  steps: null,
  problem,
  measures: null,
  failed: 0,
  complete: true,
  cost: null,
  memoryBytes: null,
});

export function toComparisonText(compared: readonly Compared[]): string {
  return [toPlain(toTable(compared)), '', ...remarksOn(compared)].join('\n');
}

export function toComparisonMarkdown(compared: readonly Compared[]): string {
  const remarks = remarksOn(compared).map((remark) => `- ${remark}`);
  return ['# Comparison', '', toMarkdownTable(toTable(compared)), '', ...remarks, ''].join('\n');
}

type Row = readonly [name: string, cell: (compared: Compared, measures: Measures) => string];

const rows: readonly Row[] = [
  ['questions', (_, { count }) => String(count)],
  ['accuracy', (_, { accuracy }) => share(accuracy)],
  ['  95 % interval', (_, { accuracyInterval: [low, high] }) => `${share(low)}–${share(high)}`],
  ['macro-F1', (_, { macroF1 }) => share(macroF1)],
  ['ECE', (_, { ece }) => share(ece)],
  ['NLL', (_, { nll }) => share(nll)],
  ['order flips', (_, { orderFlips }) => share(orderFlips?.rate)],
  ['negation: p + p’', (_, { negation }) => share(negation?.sum)],
  ['negation: |p + p’ - 1|', (_, { negation }) => share(negation?.incoherence)],
  [
    'accuracy of the surest 50 %',
    (_, { selective }) => share(selective.find(({ coverage }) => coverage === 0.5)?.accuracy),
  ],
  ['latency p50 (ms)', (_, { latencyMs }) => latencyMs.p50.toFixed(2)],
  ['CPU per decision (ms)', ({ cost }) => cost?.cpuMs.toFixed(2) ?? none],
  ['tokens per decision', ({ cost }) => cost?.inputTokens.toFixed(1) ?? none],
  ['USD per 1,000 decisions', ({ cost }) => (cost === null ? none : (cost.usd * 1_000).toFixed(4))],
  ['memory (MB)', ({ memoryBytes }) => (memoryBytes === null ? none : (memoryBytes / 1e6).toFixed(1))],
];

/** Measures as rows and engines as columns, without empty rows. */
function toTable(compared: readonly Compared[]): Table {
  const filled = rows
    .map(([name, cell]) => [
      name,
      ...compared.map((one) => (one.measures === null ? none : cell(one, one.measures))),
    ])
    .filter(([, ...cells]) => cells.some((cell) => cell !== none));
  return [['', ...compared.map(({ name }) => name)], ...filled];
}

function remarksOn(compared: readonly Compared[]): readonly string[] {
  return [
    ...compared.map(({ name, engine, steps, problem, failed, complete }) => {
      if (problem !== null) return `${name}: could not answer: ${problem}`;
      const lost = failed === 0 ? '' : `; ${failed} failed and are left out`;
      return `${name}: engine ${engine}, ${steps}${lost}${complete ? '' : ' (interrupted)'}`;
    }),
    'CPU and memory are those of this process: a server elsewhere has its own. Memory is what the process grew by; what an engine before gave back and this one took again is not in it.',
  ];
}
