import type { Caller } from '../../../../kernel/kit/caller.ts';
import {
  type ModelEvent,
  type ModelRequest,
  type CatalogEntry,
  type OpenedStream,
  askStructured,
} from '../../../models/feature.ts';
import type { RouterServices } from '../router.ts';

const schemaParam = 'response_format.json_schema.schema';

/**
 * Asks the model; where a JSON Schema is wanted that it cannot enforce, the answer is held back until it is valid.
 */
export async function openRouterChat(
  { models, structured }: Pick<RouterServices, 'models' | 'structured'>,
  entry: CatalogEntry,
  name: string,
  request: ModelRequest,
  caller: Caller,
): Promise<OpenedStream> {
  const ask = (asked: ModelRequest) => models.open([name], asked, caller.signal);
  const { format } = request;
  if (format.type !== 'json-schema' || entry.capabilities.jsonSchema) return ask(request);
  const check = await structured.parseSchema(format.schema, schemaParam, caller);
  const { opened, events } = await askStructured({ request, check, enforced: false, ask });
  return { ...opened, events: once(events) };
}

async function* once(events: readonly ModelEvent[]): AsyncGenerator<readonly ModelEvent[]> {
  yield events;
}
