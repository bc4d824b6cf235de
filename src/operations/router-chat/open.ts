import type { ModelEvent, ModelRequest } from '../../models/model.ts';
import type { CatalogEntry, Models, OpenedStream } from '../../models/registry.ts';
import type { ParseSchema } from '../../models/structured-schema.ts';
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
 * What checks schemas is loaded when the first one comes: it costs some 50 ms, and most servers never need it.
 */
export function createOpenChat(): OpenChat {
  let parser: Promise<ParseSchema> | null = null;
  return async (models, entry, name, request, signal) => {
    const ask = (asked: ModelRequest) => models.open([name], asked, signal);
    const { format } = request;
    if (format.type !== 'json-schema' || entry.capabilities.jsonSchema) return ask(request);
    parser ??= loadParser();
    const check = (await parser)(format.schema, schemaParam);
    const { opened, events } = await askStructured({ request, check, enforced: false, ask });
    return { ...opened, events: once(events) };
  };
}

async function loadParser(): Promise<ParseSchema> {
  const { createSchemaParser } = await import('../../models/structured-schema.ts');
  return createSchemaParser();
}

async function* once(events: readonly ModelEvent[]): AsyncGenerator<readonly ModelEvent[]> {
  yield events;
}
