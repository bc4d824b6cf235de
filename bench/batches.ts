import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { decide, normalizeQuestion } from '../src/features/decisions/feature.ts';
import type { DecisionEngine } from '../src/features/decisions/engine.ts';
import { toMarkdownTable } from '../src/features/decisions/evaluation/table.ts';
import { createBatches, type BatchClient } from '../test/support/batches.ts';
import { startServer } from '../test/support/server.ts';

const question = { type: 'noul', instructions: 'Is the customer asking for money back?' } as const;
const questions = { refund: question };
const model = 'svc-decider-v1-27b';
const more =
  'and please do it soon because I really need this for my work at the office in the next town over there'.split(
    ' ',
  );
/** Of 22 to 43 words. */
const stateOf = (row: number): string =>
  `Hello, my order ${row} came broken yesterday, and I would like to have my money back or a new one ` +
  `${more.slice(0, (row * 7) % more.length).join(' ')}.`;

interface Cost {
  /** Rows a second. */
  readonly rate: number;
  /** CPU of the serving thread and of the whole process, for a row. Unit: ms. */
  readonly threadMs: number;
  readonly processMs: number;
}

/**
 * `npm run bench batches ENGINE [ROWS] [ROUNDS]`: rows a second of a batch, beside those of the bare engine in the same
 * process, asked about as many rows at the same time as is best for it. Round by round, and the medians. On a machine that
 * others use as well the CPU of a row says more than the time.
 */
export async function run(): Promise<void> {
  const [engine = 'words', rows = '2000', rounds = '5'] = process.argv.slice(3);
  const data = await mkdtemp(join(tmpdir(), 'nestor-bench-'));
  const closers: (() => Promise<void>)[] = [];
  const scope = { after: (close: () => Promise<void>) => void closers.unshift(close) };
  const config = JSON.stringify({ decisions: { engine }, rate_limits: { enabled: false } });
  const server = await startServer(scope, { data, config, withEncoder: engine === 'encoder' });
  const bare = await openBare(engine);
  scope.after(() => bare.close());
  try {
    const batches = createBatches(server);
    const measured: (readonly [bare: Cost, batch: Cost])[] = [];
    // The first round opens what is opened with the first question, and warms up.
    for (let round = 0; round <= Number(rounds); round++) {
      const count = round === 0 ? 200 : Number(rows);
      const ofBare = await costOf(count, () => askBare(bare, count));
      const id = await upload(batches, count);
      const ofBatch = await costOf(count, () => awaitBatch(batches, id, count));
      if (round > 0) measured.push([ofBare, ofBatch]);
    }
    const row = (name: keyof Cost, ratio: (bare: number, batch: number) => number) => {
      const shares = measured.map(([one, other]) => ratio(one[name], other[name]));
      const medians = [0, 1].map((at) => medianOf(measured.map((both) => both[at]?.[name] ?? 0)).toFixed(2));
      return [...medians, medianOf(shares).toFixed(2), shares.map((share) => share.toFixed(2)).join(' ')];
    };
    console.log(
      toMarkdownTable([
        [engine, 'bare', 'batch', 'share', 'of each round'],
        ['rows/s', ...row('rate', (one, other) => other / one)],
        ['CPU of the thread, ms/row', ...row('threadMs', (one, other) => one / other)],
        ['CPU, ms/row', ...row('processMs', (one, other) => one / other)],
      ]),
    );
  } finally {
    for (const close of closers) await close();
    await rm(data, { recursive: true, force: true });
  }
}

/** `work` resolves to the seconds that count. */
async function costOf(rows: number, work: () => Promise<number>): Promise<Cost> {
  const [thread, all] = [process.threadCpuUsage(), process.cpuUsage()];
  const rate = rows / (await work());
  const msOf = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000 / rows;
  return { rate, threadMs: msOf(process.threadCpuUsage(thread)), processMs: msOf(process.cpuUsage(all)) };
}

async function upload(batches: BatchClient, rows: number): Promise<string> {
  const text = Array.from({ length: rows }, (_, row) => JSON.stringify({ id: row, state: stateOf(row) }));
  return (await batches.upload({ model, questions }, text.join('\n'))).id;
}

async function awaitBatch(batches: BatchClient, id: string, rows: number): Promise<number> {
  for (;;) {
    const batch = await batches.find(id);
    if (batch['status'] === 'completed') return rows / Number(batch['rows_per_second']);
    // Whoever looks more often takes part of the thread.
    await pause(500);
  }
}

async function openBare(engine: string): Promise<DecisionEngine> {
  const { openEngine } = await import('../src/features/decisions/open-decisions.ts');
  const { shareEncoder } = await import('../src/features/models/feature.ts');
  const common = { path: null, upstreams: [], gpu: false, threads: null, timeoutMs: 60_000 };
  const openEncoder = shareEncoder();
  return openEngine({ ...common, dataFolder: '/nowhere', engine, openEncoder, openLocal: null as never });
}

async function askBare(engine: DecisionEngine, rows: number): Promise<number> {
  const asked = [normalizeQuestion(question, 'q')];
  const { signal } = new AbortController();
  const left = Array.from({ length: rows }, (_, row) => stateOf(row)).values();
  const begunMs = performance.now();
  const work = async (): Promise<void> => {
    for (const text of left)
      await decide(engine, { inputTokensMax: 262_144 }, { entry: text, text, images: [] }, asked, signal);
  };
  await Promise.all(Array.from({ length: engine.statesAtOnce ?? 1 }, work));
  return (performance.now() - begunMs) / 1_000;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
