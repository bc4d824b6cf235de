import type { Config } from '../../../kernel/config.ts';
import { Fault } from '../../../kernel/faults.ts';
import { smallestRequest } from '../first-output.ts';
import { findInstalled, isNamed, type InstalledModel } from '../installed/find.ts';
import { tryModels } from './models-try.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { printRecords, type Column } from '../../../kernel/commands/print.ts';
import type { ModelsContext, ServerModels } from '../open-server-models.ts';

interface TestValues {
  /** Empty: every model of a provider. */
  readonly names: readonly string[];
  readonly all: boolean;
  readonly json: boolean;
}

interface Row {
  readonly id: string;
  readonly isOk: boolean;
  /** Until the first output. Unit: ms. */
  readonly firstMs: number | null;
  readonly totalMs: number;
  readonly outputTokens: number | null;
  readonly fault: string | null;
  readonly message: string | null;
}

const columns: readonly Column<Row>[] = [
  { heading: 'MODEL', of: ({ id }) => id },
  { heading: 'RESULT', of: ({ fault }) => fault ?? 'ok' },
  { heading: 'FIRST MS', isNumber: true, of: ({ firstMs }) => firstMs },
  { heading: 'TOTAL MS', isNumber: true, of: ({ totalMs }) => totalMs },
  { heading: 'TOKENS', isNumber: true, of: ({ outputTokens }) => outputTokens },
  { heading: 'WHY', of: ({ message }) => message },
];

/** Calls cost money: more than this many are made only when asked for. */
const callsMax = 20;
const parallelMax = 4;
const timeoutMs = 120_000;

/** Models that think need some room before they say a word. */
const request = { ...smallestRequest, outputTokensMax: 64 };

/** `nestor models test`: a call to each model. Fails when one of them does. */
export async function testModels(
  config: Config,
  values: TestValues,
  context: ModelsContext,
): Promise<number> {
  const installed = await takeNamed(config, values.names);
  if (installed.length > 0) return tryModels(config, installed, values.json, context);
  const models = await context.openModels(config);
  try {
    await models.settled;
    const names = chooseNames(config, values, models);
    const rows: Row[] = [];
    const left = names.entries();
    // Workers share one iterator, so that each takes the next model as soon as it is free.
    const work = async () => {
      for (const [at, name] of left) rows[at] = await testOne(name, models, context);
    };
    await Promise.all(Array.from({ length: parallelMax }, work));
    printRecords(context.out, rows, columns, values.json);
    if (context.signal.aborted) return exitCodes.interrupted;
    return rows.every(({ isOk }) => isOk) ? exitCodes.done : exitCodes.failed;
  } finally {
    await models.close();
  }
}

/** The models in the data folder that are named: all names, or none, because the two are tried in different ways. */
async function takeNamed(
  { dataFolder }: Config,
  names: readonly string[],
): Promise<readonly InstalledModel[]> {
  const all = names.length === 0 ? [] : await findInstalled(dataFolder);
  const found = names.flatMap((name) => all.filter((model) => isNamed(model, name)).slice(0, 1));
  if (found.length === 0 || found.length === names.length) return found;
  throw new UsageError(
    'Models in the data folder are tested by themselves: name them in a command of their own.',
  );
}

function chooseNames({ family }: Config, { names, all: isAll }: TestValues, models: ServerModels) {
  const unknown = names.find((name) => models.find(name) === null);
  if (unknown !== undefined) throw new UsageError(`Nothing is offered as "${unknown}".`);
  if (names.length > 0) return names;
  // The service's own names run on these.
  const all = models.list().flatMap(({ id }) => (id.startsWith(`${family}/`) ? [] : [id]));
  if (all.length > callsMax && !isAll)
    throw new UsageError(
      `There are ${all.length} models, and a call to each costs something: name some, or give --all.`,
    );
  return all;
}

async function testOne(id: string, models: ServerModels, { clock, signal }: ModelsContext): Promise<Row> {
  const startedMs = clock.monotonic();
  const since = () => Math.round(clock.monotonic() - startedMs);
  let firstMs: number | null = null;
  let outputTokens: number | null = null;
  try {
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const { events } = await models.open([id], request, bounded);
    firstMs = since();
    for await (const batch of events)
      for (const event of batch) if (event.type === 'usage') outputTokens = event.usage.output;
    return { id, isOk: true, firstMs, totalMs: since(), outputTokens, fault: null, message: null };
  } catch (error) {
    const fault = error instanceof Fault ? error.code : signal.aborted ? 'stopped' : 'gateway_timeout';
    const message = error instanceof Fault ? causeOf(error) : null;
    return { id, isOk: false, firstMs, totalMs: since(), outputTokens, fault, message };
  }
}

/** The private reason: it is told to the operator's own terminal, and holds nothing that a server wrote. */
function causeOf({ cause, message }: Fault): string {
  return cause instanceof Error ? cause.message : message;
}
