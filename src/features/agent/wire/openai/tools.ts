import { textOf } from '../../../../kernel/kit/json-fields.ts';
import { Fault } from '../../../../kernel/faults.ts';
import { createValidator } from '../../../../kernel/http/validate.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { customParameters, describeCustom } from '../../../models/feature.ts';
import type { McpRequest, ToolDependencies, ToolSet } from '../../../tools/feature.ts';
import type { BuiltinTool, Tool } from '../tool-schema.ts';
import { flatName, type CallKind, type ClientCall } from './calls.ts';
import { clientTools, placesOf, type ToolPlace } from './client-tools.ts';
import { readFileSearch, type FilesRequest } from './file-search.ts';
import { readMcpTools } from './mcp-tools.ts';

/** The tools of a request as those of the house. */
export interface ReadTools {
  readonly tools: readonly Tool[];
  /** By the names under which backends know them. */
  readonly calls: ReadonlyMap<string, ClientCall>;
  /** Places of tools and of their fields that have no effect. */
  readonly ignored: readonly string[];
  /** Types of tools that were left out. */
  readonly leftOut: ReadonlySet<string>;
  /** Servers of others whose tools are asked for. */
  readonly servers: readonly McpRequest[];
  /** The search of files that is asked for. */
  readonly files: FilesRequest | null;
}

/** Types under which OpenAI names what a tool of the server does. */
const served: Readonly<Record<string, string>> = {
  web_search: 'web_search',
  web_search_2025_08_26: 'web_search',
  web_search_preview: 'web_search',
  web_search_preview_2025_03_11: 'web_search',
  code_interpreter: 'sandbox',
};

/** The tool of the server behind a type of OpenAI's. */
export function servedBy(type: string): string {
  return Object.hasOwn(served, type) ? (served[type] ?? type) : type;
}

/**
 * Reads `tools`. Those that the client carries out become functions, those of the server are asked for by their own
 * names; what cannot be served is left out. Throws Fault `missing_field` for a function without a name, and what
 * `readMcpTools` throws.
 */
export function readClientTools(
  places: readonly ToolPlace[],
  set: ToolSet,
  dependencies: ToolDependencies,
): ReadTools {
  const tools: Tool[] = [];
  const calls = new Map<string, ClientCall>();
  const ignored: string[] = [];
  const leftOut = new Set<string>();
  const named = new Set<string>();

  const addCall = (
    kind: CallKind,
    { tool, param }: ToolPlace,
    namespace: string | null,
    name: string,
  ): void => {
    const flat = flatName(name, namespace, set.reservedNames);
    if (calls.has(flat)) return void ignored.push(param);
    calls.set(flat, { kind, name, namespace });
    tools.push({ type: 'function', name: flat, ...definitionOf(kind, tool) });
  };
  const addNamed = (place: ToolPlace, namespace: string | null): void => {
    const { type, name } = place.tool;
    if (type !== 'function' && type !== 'custom') return void ignored.push(place.param);
    if (typeof name !== 'string' || name === '')
      throw new Fault('missing_field', `Missing required parameter: '${place.param}.name'.`, {
        param: `${place.param}.name`,
      });
    addCall(type, place, namespace, name);
  };
  const addServed = ({ tool, param }: ToolPlace, type: string): void => {
    const name = servedBy(type);
    const definition = set.find(name);
    if (!definition || definition.request === null || !definition.isAvailable(dependencies)) {
      leftOut.add(type);
      ignored.push(`${param}.${type}`);
      return;
    }
    if (named.has(name)) return void ignored.push(param);
    named.add(name);
    tools.push(toBuiltin(name, tool, param, set, ignored));
  };

  const remote = readMcpTools(places.filter(({ tool }) => tool['type'] === 'mcp'));
  const files = readFileSearch(places, ignored);
  ignored.push(...remote.ignored);
  for (const place of places) {
    const { tool, param } = place;
    const type = textOf(tool['type']);
    if (type === 'mcp') continue;
    if (type === 'function' || type === 'custom') addNamed(place, null);
    else if (type === 'namespace') {
      const namespace = textOf(tool['name']);
      placesOf(tool['tools'], `${param}.tools`).forEach((inner) => addNamed(inner, namespace));
    } else if (isClientTool(type, tool)) addCall(type, place, null, type);
    else if (files === null || type !== 'file_search') addServed(place, type);
    else if (place.param !== files.param) ignored.push(place.param);
  }
  return { tools, calls, ignored, leftOut, servers: remote.servers, files };
}

/** Whether the client carries it out: a shell in a container would be the server's, and so would be its search of tools. */
function isClientTool(type: string, tool: JsonObject): type is keyof typeof clientTools {
  if (type === 'tool_search') return tool['execution'] === 'client';
  if (type !== 'shell') return Object.hasOwn(clientTools, type);
  const { environment = null } = tool;
  return !isJsonObject(environment) || environment['type'] === 'local';
}

function definitionOf(kind: CallKind, tool: JsonObject) {
  const { description, parameters, strict } = tool;
  const told = typeof description === 'string' ? description : null;
  if (kind === 'custom')
    return { description: describeCustom(told, tool['format']), parameters: customParameters, strict: false };
  const own = kind === 'function' ? null : clientTools[kind];
  return {
    description: told ?? own?.description ?? null,
    parameters: isJsonObject(parameters) ? parameters : (own?.parameters ?? null),
    strict: strict === true,
  };
}

/** A tool of the server with the fields that it knows and can read. */
function toBuiltin(
  name: string,
  tool: JsonObject,
  param: string,
  set: ToolSet,
  ignored: string[],
): BuiltinTool {
  const { type: _type, ...sent } = tool;
  const properties = set.requests.get(name)?.properties ?? {};
  const fields = Object.entries(name === 'web_search' ? toSearchFields(sent) : sent).filter(
    ([, value]) => value !== null,
  );
  const known = fields.filter(([field, value]) => {
    const schema = properties[field];
    const isKnown = schema !== undefined && createValidator(schema).explain(value) === null;
    if (!isKnown) ignored.push(`${param}.${field}`);
    return isKnown;
  });
  return { type: name, ...Object.fromEntries(known) };
}

/** Domains and place in the words of the house. */
function toSearchFields({ filters = null, user_location: location = null, ...sent }: JsonObject): JsonObject {
  const place = isJsonObject(location) ? location : null;
  const { type: _, timezone: _zone, ...where } = place ?? {};
  if (!isJsonObject(filters)) return { ...sent, ...(place && { user_location: where }) };
  const { allowed_domains: allowed, blocked_domains: blocked, ...rest } = filters;
  const textsOf = (list: Json | undefined): readonly string[] =>
    Array.isArray(list)
      ? (list as readonly Json[]).flatMap((one) => (typeof one === 'string' ? [one] : []))
      : [];
  const domains = [...textsOf(allowed), ...textsOf(blocked).map((domain) => `-${domain}`)];
  return {
    ...sent,
    ...(place && { user_location: where }),
    filters: { ...rest, ...(domains.length > 0 && { search_domain_filter: domains }) },
  };
}
