import type { Config } from '../../../kernel/config.ts';
import type { CatalogEntry } from '../registry.ts';
import { exitCodes } from '../../../kernel/commands/exit-codes.ts';
import { printRecords, type Column } from '../../../kernel/commands/print.ts';
import type { ModelsContext, ServerModels } from '../open-server-models.ts';

interface Row {
  readonly id: string;
  readonly contextTokensMax: number | null;
  readonly inputPrice: number;
  readonly outputPrice: number;
  readonly router: boolean;
  readonly health: 'ok' | 'down' | 'not offered';
  readonly runsOn: string | null;
}

const columns: readonly Column<Row>[] = [
  { heading: 'MODEL', of: ({ id }) => id },
  { heading: 'CONTEXT', isNumber: true, of: ({ contextTokensMax }) => contextTokensMax },
  { heading: 'INPUT', isNumber: true, of: ({ inputPrice }) => inputPrice },
  { heading: 'OUTPUT', isNumber: true, of: ({ outputPrice }) => outputPrice },
  { heading: 'ROUTER', of: ({ router }) => (router ? 'yes' : 'no') },
  { heading: 'HEALTH', of: ({ health }) => health },
  { heading: 'RUNS ON', of: ({ runsOn }) => runsOn },
];

/** `nestor models list`. Prices are USD per million tokens. */
export async function listModels(config: Config, isJson: boolean, context: ModelsContext): Promise<number> {
  const models = await context.openModels(config);
  try {
    await models.settled;
    const rows = models.list().map((entry) => toRow(entry, models));
    printRecords(context.out, rows, columns, isJson);
    return exitCodes.done;
  } finally {
    await models.close();
  }
}

function toRow({ id, contextTokensMax, price, router }: CatalogEntry, models: ServerModels): Row {
  const backends = models.backendsOf(id);
  const isOk = backends.some(({ health }) => health === 'ok');
  const others = backends.map((backend) => backend.id).filter((backend) => backend !== id);
  return {
    id,
    contextTokensMax,
    inputPrice: price.input,
    outputPrice: price.output,
    router,
    health: backends.length === 0 ? 'not offered' : isOk ? 'ok' : 'down',
    runsOn: others.length === 0 ? null : others.join(', '),
  };
}
