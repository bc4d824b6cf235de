import { objectOf } from '../../../../kernel/kit/json-fields.ts';
import { Fault, invalidValue } from '../../../../kernel/faults.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { quote } from '../../../../kernel/kit/text.ts';
import type { ListedTool, McpRequest, ToolFilter } from '../../../tools/feature.ts';
import { matches } from '../../../tools/feature.ts';
import type { ToolPlace } from './client-tools.ts';

const serversMax = 16;
const headersMax = 32;
const labelPattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
const headerValue = /^[\t -~]{0,8192}$/;
/** What the transport sends itself. */
const ownHeaders =
  /^(?:accept|accept-encoding|connection|content-.*|expect|host|keep-alive|mcp-.*|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;
const known: ReadonlySet<string> = new Set([
  'type',
  'server_label',
  'server_url',
  'headers',
  'authorization',
  'allowed_tools',
  'require_approval',
]);
const hidden = '<redacted>';

interface ReadServers {
  readonly servers: readonly McpRequest[];
  /** Places of fields that have no effect. */
  readonly ignored: readonly string[];
}

/** Reads tools of the type `mcp`. Throws Fault `missing_field`, `invalid_value` and `invalid_tool`. */
export function readMcpTools(places: readonly ToolPlace[]): ReadServers {
  const labels = new Set<string>();
  const servers = places.map(({ tool, param }): McpRequest => {
    const label = labelOf(tool, param);
    if (labels.has(label))
      throw invalidValue(`server_label "${label}" is used twice`, `${param}.server_label`);
    labels.add(label);
    const { server_url: url = null, connector_id: connector = null, tunnel_id: tunnel = null } = tool;
    if (connector !== null || tunnel !== null)
      throw new Fault('invalid_tool', `MCP server '${label}': connectors are not available on this server.`, {
        param: `${param}.${connector === null ? 'tunnel_id' : 'connector_id'}`,
      });
    if (url !== null && typeof url !== 'string')
      throw invalidValue('server_url must be a string', `${param}.server_url`);
    return {
      label,
      url,
      headers: headersOf(tool, param),
      allowed: readFilter(tool['allowed_tools'] ?? null, `${param}.allowed_tools`),
      asks: readApproval(tool['require_approval'] ?? 'always', `${param}.require_approval`),
      param,
    };
  });
  const excess = places[serversMax];
  if (excess !== undefined)
    throw invalidValue(`A request may name at most ${serversMax} MCP servers`, excess.param);
  const ignored = places.flatMap(({ tool, param }) =>
    Object.keys(tool).flatMap((name) => (known.has(name) || tool[name] === null ? [] : [`${param}.${name}`])),
  );
  return { servers, ignored };
}

/** A tool as a response repeats it: without what lets others in. */
export function toMcpEcho(tool: JsonObject): JsonObject {
  const { server_url: url, headers, authorization } = tool;
  const parsed = typeof url === 'string' ? URL.parse(url) : null;
  const isBare = parsed === null || `${parsed.origin}/` === parsed.href;
  return {
    ...tool,
    ...(!isBare && { server_url: `${parsed.origin}/${hidden}` }),
    ...(isJsonObject(headers) && {
      headers: Object.fromEntries(Object.keys(headers).map((name) => [name, hidden])),
    }),
    ...(typeof authorization === 'string' && { authorization: hidden }),
  };
}

function labelOf({ server_label: label }: JsonObject, param: string): string {
  if (label === undefined)
    throw new Fault('missing_field', `Missing required parameter: '${param}.server_label'.`, {
      param: `${param}.server_label`,
    });
  if (typeof label === 'string' && labelPattern.test(label)) return label;
  throw invalidValue(
    'server_label must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -, the first a letter',
    `${param}.server_label`,
  );
}

function headersOf({ headers = null, authorization = null }: JsonObject, param: string) {
  const sent = Object.entries(objectOf(headers));
  if ((headers !== null && !isJsonObject(headers)) || sent.length > headersMax)
    throw invalidValue(`headers must be an object of at most ${headersMax} texts`, `${param}.headers`);
  for (const [name, value] of sent)
    if (
      !headerName.test(name) ||
      ownHeaders.test(name) ||
      typeof value !== 'string' ||
      !headerValue.test(value)
    )
      throw invalidValue(`header "${quote(name)}" cannot be sent`, `${param}.headers`);
  if (authorization !== null && (typeof authorization !== 'string' || !headerValue.test(authorization)))
    throw invalidValue('authorization must be a token', `${param}.authorization`);
  return {
    ...Object.fromEntries(sent.map(([name, value]) => [name.toLowerCase(), value as string])),
    ...(authorization !== null && { authorization: `Bearer ${authorization}` }),
  };
}

const all: ToolFilter = { names: null, readOnly: null };

function readFilter(filter: Json, param: string): ToolFilter {
  if (filter === null) return all;
  if (Array.isArray(filter)) return { names: namesOf(filter as readonly Json[], param), readOnly: null };
  if (!isJsonObject(filter)) throw invalidValue(`${param} must be a list of names or an object`, param);
  const { tool_names: names = null, read_only: readOnly = null } = filter;
  if (names !== null && !Array.isArray(names))
    throw invalidValue('tool_names must be a list of names', `${param}.tool_names`);
  return {
    names: names === null ? null : namesOf(names as readonly Json[], `${param}.tool_names`),
    readOnly: typeof readOnly === 'boolean' ? readOnly : null,
  };
}

function namesOf(names: readonly Json[], param: string): ReadonlySet<string> {
  return new Set(
    names.map((name, at) => {
      if (typeof name === 'string') return name;
      throw invalidValue('a tool is named by a string', `${param}.${at}`);
    }),
  );
}

/** Which tools the caller is asked about: all but those that it says never to be asked about. */
function readApproval(approval: Json, param: string): (tool: ListedTool) => boolean {
  if (approval === 'always') return () => true;
  if (approval === 'never') return () => false;
  if (!isJsonObject(approval))
    throw invalidValue("require_approval must be 'always', 'never' or an object", param);
  const { always = null, never = null } = approval;
  const asked = always === null ? null : readFilter(always, `${param}.always`);
  const free = never === null ? null : readFilter(never, `${param}.never`);
  return (tool) => (asked !== null && matches(tool, asked)) || free === null || !matches(tool, free);
}
