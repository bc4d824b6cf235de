import type { Config } from '../../../kernel/config.ts';
import { Fault } from '../../../kernel/faults.ts';
import { FairSlots } from '../../../kernel/kit/fair-slots.ts';
import type { OnFailure } from '../../../kernel/kit/failure-log.ts';
import { createAddressGuard } from '../../../kernel/kit/guard.ts';
import { createHostLookup, type HostLookup } from '../../../kernel/kit/guard-dns.ts';
import { createGuardedConnector } from '../../../kernel/kit/guarded-connect.ts';
import { openOutbound, type Outbound } from '../../../kernel/kit/outbound.ts';
import { quote } from '../../../kernel/kit/text.ts';
import type { ListedTool } from './items.ts';
import type { ToolFilter } from './listing.ts';
import { RemoteServer } from './remote-server.ts';
import { answerBytesMax, McpSession, type McpEndpoint } from './session.ts';

/** How a request names a server. */
export interface McpRequest {
  readonly label: string;
  /** Null where the label is that of a server of the configuration. */
  readonly url: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly allowed: ToolFilter;
  readonly asks: (tool: ListedTool) => boolean;
  /** Where it stands in the request. */
  readonly param: string;
}

export interface McpServers {
  /** A server for one run. Throws Fault `invalid_tool` for one that this server may not ask. */
  connect(request: McpRequest): RemoteServer;
  close(): Promise<void>;
}

interface McpServersOptions {
  readonly mcp: Config['mcp'];
  readonly allowHosts: readonly string[];
  readonly version: string;
  readonly onFailure: OnFailure;
  readonly lookup?: HostLookup;
}

const connectionsMax = 32;
const slots = { slotsMax: 64, waitingMax: 256 };
const lookupTimeoutMs = 5_000;
const connectTimeoutMs = 10_000;
const publicTimeoutMs = 60_000;
/** Shorter texts of headers are words. */
const secretCharsMin = 8;
const every: ToolFilter = { names: null, readOnly: null };

interface Reached {
  readonly outbound: Outbound;
  readonly endpoint: McpEndpoint;
  readonly allowed: ToolFilter;
  readonly secrets: readonly string[];
}

/** Opens the way to servers of the configuration, and through the guard of addresses to those that requests name. */
export function openMcpServers(options: McpServersOptions): McpServers {
  const { mcp, allowHosts, version, onFailure, lookup = createHostLookup(lookupTimeoutMs) } = options;
  const limits = { responseBytesMax: answerBytesMax, connectionsMax };
  const guard = createAddressGuard({ allowHosts });
  const own = openOutbound(limits);
  const guarded = openOutbound({
    ...limits,
    connect: createGuardedConnector(guard, lookup, connectTimeoutMs),
  });
  const turns = new FairSlots(slots);

  const reach = ({ label, url, headers, param }: McpRequest): Reached => {
    const server = mcp.servers.find((one) => (url === null ? one.name === label : isSame(one.url, url)));
    if (server !== undefined) {
      const added = headersOf(server);
      return {
        outbound: own,
        endpoint: {
          url: server.url,
          headers: { ...headers, ...added },
          timeoutMs: server.timeoutS * 1_000,
        },
        allowed: { ...every, names: server.allowedTools && new Set(server.allowedTools) },
        secrets: [...Object.values(added), server.key ?? ''].filter((text) => text.length >= secretCharsMin),
      };
    }
    const refuse = (why: string) =>
      new Fault('invalid_tool', `MCP server '${quote(label)}' ${why}`, { param: `${param}.server_url` });
    if (url === null || !mcp.anyPublic) throw refuse('is not allowed on this server.');
    const verdict = guard.checkUrl(url);
    if (!verdict.ok) throw refuse(`cannot be asked. ${verdict.message}`);
    const endpoint = { url: verdict.url.href, headers, timeoutMs: publicTimeoutMs };
    return { outbound: guarded, endpoint, allowed: every, secrets: [] };
  };

  return {
    connect(request) {
      const { outbound, endpoint, allowed, secrets } = reach(request);
      return new RemoteServer(new McpSession(outbound, endpoint, version), {
        label: request.label,
        allowed: [allowed, request.allowed],
        asks: request.asks,
        secrets,
        inTurn: ({ accountId, signal }, work) => turns.run(accountId, signal, work),
        onFailure,
      });
    },
    async close() {
      await Promise.all([own.close(), guarded.close()]);
    },
  };
}

type ConfiguredServer = Config['mcp']['servers'][number];

/** Those of the operator stand over those of a request. */
function headersOf({ key, headers }: ConfiguredServer): Readonly<Record<string, string>> {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { ...(key !== null && { authorization: `Bearer ${key}` }), ...Object.fromEntries(named) };
}

const isSame = (one: string, other: string): boolean => URL.parse(one)?.href === URL.parse(other)?.href;
