import { Fault } from '../../kernel/faults.ts';
import type { ToolCall } from '../models/feature.ts';
import type { RemoteServer, Tool } from '../tools/feature.ts';
import type { AgentEvent } from './events.ts';

/** Tools that a run finds on other servers. */
export interface RemoteTools {
  readonly servers: readonly RemoteServer[];
  /** The name under which models know a tool of a server: another one than those that are taken. */
  readonly nameOf: (tool: string, label: string, taken: ReadonlySet<string>) => string;
  /** Calls that an earlier run asked about and that the caller allowed: they are made before the first turn. */
  readonly approved: readonly ToolCall[];
}

interface OpenOptions {
  /** Names of the other tools of the run. */
  readonly names: readonly string[];
  readonly accountId: string;
  readonly signal: AbortSignal;
}

/** Lists the tools of servers. Throws Fault `tool_server_failed`: without its tools a model would answer something else. */
export async function* openRemotes(
  { servers, nameOf }: RemoteTools,
  { names, ...run }: OpenOptions,
): AsyncGenerator<readonly AgentEvent[], readonly Tool[]> {
  const taken = new Set(names);
  const take = (tool: string, label: string): string => {
    const name = nameOf(tool, label, taken);
    taken.add(name);
    return name;
  };
  yield servers.map(({ label }) => ({
    type: 'progress',
    thought: '',
    progress: { type: 'mcp-list', label },
  }));
  const offers = await Promise.all(servers.map((server) => server.open(run, take)));
  yield offers.map(({ item }) => ({ type: 'item', item }));
  for (const { item } of offers)
    if (item.error !== null)
      throw new Fault(
        'tool_server_failed',
        `The tools of MCP server '${item.label}' could not be listed. ${item.error}`,
      );
  return offers.flatMap(({ tools }) => tools);
}

/** Asks the caller about calls that are not to be made without it. */
export function askEvents(
  calls: readonly ToolCall[],
  tools: ReadonlyMap<string, Tool>,
): readonly AgentEvent[] {
  return calls.flatMap(({ name, arguments: written }): AgentEvent[] => {
    const ask = tools.get(name)?.ask;
    return ask === undefined ? [] : [{ type: 'item', item: ask(written) }];
  });
}
