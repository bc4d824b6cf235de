import type { ModelEvent, ModelRequest } from '../../models/model.ts';
import type { CatalogEntry, Models, OpenedStream } from '../../models/registry.ts';
import { createStructuredThread } from '../../models/structured-thread.ts';
import { askStructured } from '../../models/structured.ts';

export type OpenChat = (
  models: Models,
  entry: CatalogEntry,
  name: string,
  request: ModelRequest,
  signal: AbortSignal,
) => Promise<OpenedStream>;

const schemaParam = 'response_format.json_schema.schema';

/**
 * Asks the model; where a JSON Schema is wanted that it cannot enforce, the answer is held back until it is valid.
 */
export function createOpenChat(): OpenChat {
  const structured = createStructuredThread();
  return async (models, entry, name, request, signal) => {
    const ask = (asked: ModelRequest) => models.open([name], asked, signal);
    const { format } = request;
    if (format.type !== 'json-schema' || entry.capabilities.jsonSchema) return ask(request);
    const check = await structured.parseSchema(format.schema, schemaParam);
    const { opened, events } = await askStructured({ request, check, enforced: false, ask });
    return { ...opened, events: once(events) };
  };
}

async function* once(events: readonly ModelEvent[]): AsyncGenerator<readonly ModelEvent[]> {
  yield events;
}
