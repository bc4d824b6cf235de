import { availableParallelism } from 'node:os';
import { randomIds } from '../src/kernel/kit/ids.ts';
import {
  emptyRequest,
  type Model,
  type ModelRequest,
  type ModelUsage,
} from '../src/features/models/model.ts';
import { openLocal } from '../src/features/models/providers/local/index.ts';
import { openLocalModel } from '../src/features/models/providers/local/engine.ts';
import { removeTestModel, writeTestModel } from '../test/support/gguf.ts';
import { printTable, type Row } from './support/table.ts';

/** The real cores without an argument. */
const threads = process.argv[3] === undefined ? {} : { threads: Number(process.argv[3]) };
const never = new AbortController().signal;

/**
 * Answers in process: how fast a small and a 0.6B-shape file write, what a warm prompt is worth, and what a grammar and
 * other answers beside it cost. `npm run bench local-generation 1` takes one thread.
 */
export async function run(): Promise<void> {
  console.log(`${process.version}, ${availableParallelism()} cores, random weights, Q8_0`);
  for (const shape of ['tiny', 'qwen06'] as const) {
    const path = await writeTestModel({ shape, template: 'tools' });
    const provider = await openLocal(
      { name: 'bench', path },
      { ids: randomIds, open: (options) => openLocalModel({ ...options, ...threads }) },
    );
    const [offered] = provider.models();
    if (offered === undefined) throw new Error('no model');
    printTable(
      shape,
      ['', 'tokens/s', 'first, ms', 'prompt', 'warm'],
      await measure(offered.model, shape === 'tiny' ? 400 : 48),
    );
    await provider.close();
    if (shape !== 'tiny') await removeTestModel(path);
  }
}

async function measure(model: Model, tokens: number): Promise<readonly Row[]> {
  const long = 'the customer is asking for a refund of the material '.repeat(70);
  const schema = { type: 'array', items: { type: 'integer' }, minItems: 256 };
  const format = { type: 'json-schema', name: 'list', schema, description: null, strict: true } as const;
  const cold = await answer(model, asking(long, 1));
  const rows = [
    ['long prompt, cold', Number.NaN, cold.ms, cold.usage.input + cold.usage.cacheRead, cold.usage.cacheRead],
    await rowOf(model, 'the same, warm', asking(long, tokens)),
    await rowOf(model, 'short prompt', asking('Hello', tokens)),
    await rowOf(model, 'under a grammar', { ...asking('Hello', tokens), format }),
  ];
  const start = performance.now();
  const four = await Promise.all(
    [1, 2, 3, 4].map((seed) => answer(model, { ...asking('Hello', tokens), seed })),
  );
  const written = four.reduce((sum, { usage }) => sum + usage.output, 0);
  return [...rows, ['four side by side', written / ((performance.now() - start) / 1_000), '', '', '']];
}

/** Of random weights many tokens have no text, so the first is timed by an answer of one. */
async function rowOf(model: Model, what: string, request: ModelRequest): Promise<Row> {
  const first = await answer(model, { ...request, outputTokensMax: 1 });
  const { ms, usage } = await answer(model, request);
  const perSecond = (usage.output - 1) / ((ms - first.ms) / 1_000);
  return [what, perSecond, first.ms, usage.input + usage.cacheRead, usage.cacheRead];
}

interface Measured {
  readonly usage: ModelUsage;
  readonly ms: number;
}

async function answer(model: Model, request: ModelRequest): Promise<Measured> {
  const start = performance.now();
  let usage: ModelUsage | null = null;
  for await (const batch of model.stream(request, never)) {
    for (const event of batch) if (event.type === 'usage') ({ usage } = event);
  }
  if (usage === null) throw new Error('no usage');
  return { usage, ms: performance.now() - start };
}

function asking(text: string, outputTokensMax: number): ModelRequest {
  const turns = [{ role: 'user', parts: [{ type: 'text', text }] }] as const;
  return { ...emptyRequest, turns, outputTokensMax, seed: 1, effort: 'none' };
}
