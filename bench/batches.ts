import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decide, normalizeQuestion } from '../src/features/decisions/feature.ts';
import { toMarkdownTable } from '../src/features/decisions/evaluation/table.ts';
import { renderState } from '../src/features/decisions/prompt.ts';
import { createBatches, untilOver } from '../test/support/batches.ts';
import { startServer } from '../test/support/server.ts';

const question = { type: 'noul', instructions: 'Is the customer asking for money back?' } as const;
const stateOf = (row: number): string =>
  `Hello, my order ${row} came broken yesterday, and I would like to have my money back or a new one.`;

/** `npm run bench batches ENGINE [ROWS]`: rows a second of a batch, beside those of the bare engine in this process. */
export async function run(): Promise<void> {
  const [engine = 'words', given = '10000'] = process.argv.slice(3);
  const rows = Number(given);
  const data = await mkdtemp(join(tmpdir(), 'nestor-bench-'));
  const closers: (() => Promise<void>)[] = [];
  const scope = { after: (close: () => Promise<void>) => void closers.unshift(close) };
  const config = JSON.stringify({ decisions: { engine }, rate_limits: { enabled: false } });
  const server = await startServer(scope, { data, config, withEncoder: engine === 'encoder' });
  try {
    const model = 'svc-decider-v1-27b';
    const questions = { refund: question };
    // Opens what the engine opens with its first question.
    await server.post('/v1/decisions', { model, state: 'x', questions });
    const batches = createBatches(server);
    const text = Array.from({ length: rows }, (_, row) => JSON.stringify({ id: row, state: stateOf(row) }));
    const { id } = await batches.upload({ model, questions }, text.join('\n'));
    const over = await untilOver(batches, id);
    const ofBatch = Number(over['rows_per_second']);
    const bare = await bareRate(engine, Math.min(rows, 5_000));
    const cells = [engine, ...[bare, ofBatch].map((rate) => rate.toFixed(0)), (ofBatch / bare).toFixed(2)];
    console.log(toMarkdownTable([['engine', 'bare, rows/s', 'batch, rows/s', 'share'], cells]));
  } finally {
    for (const close of closers) await close();
    await rm(data, { recursive: true, force: true });
  }
}

async function bareRate(name: string, rows: number): Promise<number> {
  const { openEngine } = await import('../src/features/decisions/open-decisions.ts');
  const { shareEncoder } = await import('../src/features/models/feature.ts');
  const common = {
    path: null,
    upstreams: [],
    gpu: false,
    threads: null,
    timeoutMs: 60_000,
    dataFolder: '/nowhere',
  };
  const engine = await openEngine({
    ...common,
    engine: name,
    openEncoder: shareEncoder(),
    openLocal: null as never,
  });
  const asked = [normalizeQuestion(question, 'q')];
  const { signal } = new AbortController();
  const ask = (row: number) => {
    const entry = stateOf(row);
    const state = { entry, text: renderState(entry), images: [] };
    return decide(engine, { inputTokensMax: 262_144 }, state, asked, signal);
  };
  for (let row = 0; row < 50; row++) await ask(row);
  const begunMs = performance.now();
  for (let row = 0; row < rows; row++) await ask(row);
  const seconds = (performance.now() - begunMs) / 1_000;
  await engine.close();
  return rows / seconds;
}
