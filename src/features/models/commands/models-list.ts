import type { Config } from '../../../kernel/config.ts';
import type { CatalogEntry } from '../registry.ts';
import { findInstalled } from '../installed/find.ts';
import { listFiles } from './models-installed.ts';
import { exitCodes } from '../../../kernel/commands/exit-codes.ts';
import { printRecords, type Column } from '../../../kernel/commands/print.ts';
import type { ModelsContext, ServerModels } from '../open-server-models.ts';

interface Row {
  readonly id: string;
  readonly contextTokensMax: number | null;
  readonly inputPrice: number;
  readonly outputPrice: number;
  readonly router: boolean;
  readonly health: 'ok' | 'down' | 'not offered' | 'no model';
  readonly runsOn: string | null;
}

const firstColumns: readonly Column<Row>[] = [
  { heading: 'MODEL', of: ({ id }) => id },
  { heading: 'CONTEXT', isNumber: true, of: ({ contextTokensMax }) => contextTokensMax },
];

const lastColumns: readonly Column<Row>[] = [
  { heading: 'ROUTER', of: ({ router }) => (router ? 'yes' : 'no') },
  { heading: 'HEALTH', of: ({ health }) => health },
  { heading: 'RUNS ON', of: ({ runsOn }) => runsOn },
];

const priceColumns: readonly Column<Row>[] = [
  { heading: 'INPUT', isNumber: true, of: ({ inputPrice }) => inputPrice },
  { heading: 'OUTPUT', isNumber: true, of: ({ outputPrice }) => outputPrice },
];

/** `nestor models list`: what a server can ask, and below what lies in the data folder. Prices are USD per million tokens, and shown once one was set. */
export async function listModels(config: Config, isJson: boolean, context: ModelsContext): Promise<number> {
  const models = await context.openModels(config);
  try {
    await models.settled;
    const rows = models.list().map((entry) => toRow(entry, models));
    const prices = models.prices() === 'configured' ? priceColumns : [];
    printRecords(context.out, rows, [...firstColumns, ...prices, ...lastColumns], isJson);
  } finally {
    await models.close();
  }
  // A list of JSON is one of models; `--files` has one of files.
  if (isJson || (await findInstalled(config.dataFolder)).length === 0) return exitCodes.done;
  context.out.write('\n');
  return listFiles(config, false, context);
}

function toRow({ id, contextTokensMax, price, router }: CatalogEntry, models: ServerModels): Row {
  const backends = models.backendsOf(id);
  const others = backends.map((backend) => backend.id).filter((backend) => backend !== id);
  return {
    id,
    contextTokensMax,
    inputPrice: price.input,
    outputPrice: price.output,
    router,
    health: healthOf(id, backends, models),
    runsOn: others.length === 0 ? null : others.join(', '),
  };
}

function healthOf(
  id: string,
  backends: ReturnType<ServerModels['backendsOf']>,
  models: ServerModels,
): Row['health'] {
  if (backends.length === 0) return 'not offered';
  if (!backends.some(({ health }) => health === 'ok')) return 'down';
  return models.isAvailable(id) ? 'ok' : 'no model';
}
