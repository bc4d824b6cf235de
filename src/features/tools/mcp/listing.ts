import { isJsonObject, type Json, type JsonObject } from '../../../kernel/kit/json.ts';
import type { ListedTool } from './items.ts';
import { McpFailure, type McpSession } from './session.ts';

const toolsMax = 128;
const pagesMax = 16;
const nameCharsMax = 128;
const descriptionCharsMax = 4_096;
/** As JSON: models read every schema in every turn. */
const schemaCharsMax = 32_768;

/** Which tools of a server a request wants, or wants to be asked about. */
export interface ToolFilter {
  /** Null is every name. */
  readonly names: ReadonlySet<string> | null;
  /** Only tools that the server says change nothing, or only others; null is both. */
  readonly readOnly: boolean | null;
}

export function matches({ name, annotations }: ListedTool, { names, readOnly }: ToolFilter): boolean {
  const isReadOnly = annotations?.['readOnlyHint'] === true;
  return (names === null || names.has(name)) && (readOnly === null || readOnly === isReadOnly);
}

/**
 * Asks a server for its tools. What it says is not trusted: names that are no names and second tools of a name are left
 * out, long texts cut, and a schema that is none accepts any object. Rejects with McpFailure.
 */
export async function listTools(session: McpSession, signal: AbortSignal): Promise<readonly ListedTool[]> {
  const found = new Map<string, ListedTool>();
  let cursor: string | null = null;
  for (let page = 0; page < pagesMax; page++) {
    const params = JSON.stringify(cursor === null ? {} : { cursor });
    const { tools, nextCursor } = await session.request('tools/list', params, signal);
    if (!Array.isArray(tools))
      throw new McpFailure('mcp_protocol_error', -32_603, 'The server listed no tools.');
    for (const tool of (tools as readonly Json[]).flatMap(readTool))
      if (!found.has(tool.name)) found.set(tool.name, tool);
    if (found.size > toolsMax)
      throw new McpFailure('mcp_protocol_error', -32_603, `The server has more than ${toolsMax} tools.`);
    if (typeof nextCursor !== 'string' || nextCursor === cursor) break;
    cursor = nextCursor;
  }
  return [...found.values()];
}

function readTool(tool: Json): readonly ListedTool[] {
  if (!isJsonObject(tool)) return [];
  const { name, description, inputSchema, annotations } = tool;
  if (typeof name !== 'string' || name === '' || name.length > nameCharsMax) return [];
  return [
    {
      name,
      description:
        typeof description === 'string' ? description.slice(0, descriptionCharsMax).toWellFormed() : null,
      inputSchema: readSchema(inputSchema),
      annotations: isJsonObject(annotations) && isShort(annotations) ? annotations : null,
    },
  ];
}

const anyObject: JsonObject = { type: 'object', properties: {} };

function readSchema(schema: Json | undefined): JsonObject {
  if (!isJsonObject(schema) || !isShort(schema)) return anyObject;
  const { type, properties = {}, required = [] } = schema;
  const isSchema = (value: Json) => isJsonObject(value) || typeof value === 'boolean';
  const isSound =
    (type === undefined || type === 'object') &&
    isJsonObject(properties) &&
    Object.values(properties).every(isSchema) &&
    Array.isArray(required) &&
    (required as readonly Json[]).every((name) => typeof name === 'string');
  return isSound ? { ...schema, type: 'object', properties } : anyObject;
}

const isShort = (value: Json): boolean => JSON.stringify(value).length <= schemaCharsMax;
