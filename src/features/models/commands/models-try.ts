import type { Config } from '../../../kernel/config.ts';
import { exitCodes } from '../../../kernel/commands/exit-codes.ts';
import { printRecords, toSize, type Column } from '../../../kernel/commands/print.ts';
import type { InstalledModel } from '../installed/find.ts';
import { tryModel } from '../installed/trial.ts';
import type { ModelsContext } from '../open-server-models.ts';

interface Row {
  readonly name: string;
  readonly isOk: boolean;
  readonly openMs: number | null;
  readonly answerMs: number | null;
  readonly memoryBytes: number | null;
  readonly answer: string | null;
  readonly problem: string | null;
}

const columns: readonly Column<Row>[] = [
  { heading: 'NAME', of: ({ name }) => name },
  { heading: 'RESULT', of: ({ isOk }) => (isOk ? 'ok' : 'failed') },
  { heading: 'OPEN MS', isNumber: true, of: ({ openMs }) => openMs },
  { heading: 'ANSWER MS', isNumber: true, of: ({ answerMs }) => answerMs },
  {
    heading: 'MEMORY',
    isNumber: true,
    of: ({ memoryBytes }) => (memoryBytes === null ? null : toSize(memoryBytes)),
  },
  { heading: 'ANSWER', of: ({ answer, problem }) => answer ?? problem },
];

/** `nestor models test` of models in the data folder, one after the other, because each takes memory. */
export async function tryModels(
  config: Config,
  models: readonly InstalledModel[],
  isJson: boolean,
  context: ModelsContext,
): Promise<number> {
  const { clock, signal, findAdapter, out } = context;
  const decide = (path: string, engine: string) => decideExample({ config, path, engine }, context);
  const rows: Row[] = [];
  for (const model of models) {
    if (signal.aborted) return exitCodes.interrupted;
    const trial = await tryModel(model, { clock, signal, findAdapter, decide });
    const none = { openMs: null, answerMs: null, memoryBytes: null, answer: null, problem: null };
    rows.push({ name: model.name, isOk: !('problem' in trial), ...none, ...trial });
  }
  printRecords(out, rows, columns, isJson);
  return rows.every(({ isOk }) => isOk) ? exitCodes.done : exitCodes.failed;
}

const state = 'Where is my parcel?';
const question = {
  kind: 'choice',
  question: 'What is this about?',
  options: [
    { name: 'delivery', description: 'parcels and shipping' },
    { name: 'payment', description: 'cards and invoices' },
  ],
} as const;

interface Example {
  readonly config: Config;
  readonly path: string;
  /** Name of an engine. */
  readonly engine: string;
}

async function decideExample(example: Example, { open, signal }: ModelsContext): Promise<string> {
  const { config, path } = example;
  const decisions = { ...config.decisions, path };
  const request = { config: { ...config, decisions }, remote: null, onLabelMass() {} };
  const engine = await open({ ...request, engine: example.engine });
  try {
    const [probabilities = []] = await engine.score(
      { entry: state, text: state, images: [] },
      [question],
      signal,
    );
    const shares = question.options.map(({ name }, index) => `${name} ${probabilities[index]?.toFixed(2)}`);
    return `"${state}" is about ${shares.join(', ')}`;
  } finally {
    await engine.close();
  }
}
