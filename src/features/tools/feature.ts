import type { ConfigOf } from '../../kernel/config.ts';
import { defineFeature } from '../../kernel/feature.ts';
import { createFailureLog } from '../../kernel/kit/failure-log.ts';
import { toolConfig, type toolKeys } from './config.ts';
import type { ToolDependencies } from './define-tool.ts';
import { definitions } from './index.ts';
import { openMcpServers, type McpServers } from './mcp/servers.ts';
import { ToolSet } from './tool-set.ts';

export type { LoadableSkill, ToolContext, ToolDependencies } from './define-tool.ts';
export { attribute, contextBlock, failure, neutralise, toEarlierText, toFoundText } from './context-block.ts';
export { openFileSearch, type FileSearchOptions, type SourceFile } from './file-search/index.ts';
export { matches, type ToolFilter } from './mcp/listing.ts';
export type { ListedTool } from './mcp/items.ts';
export type { RemoteServer } from './mcp/remote-server.ts';
export type { McpRequest, McpServers } from './mcp/servers.ts';
export type { Source, Tool, ToolItem, ToolOutcome, ToolProgress, ToolRun, ToolUse } from './tool.ts';
export { type ToolRequest, type ToolSet, createTools } from './tool-set.ts';

declare module '../../kernel/config.ts' {
  interface ConfigKeys extends ConfigOf<typeof toolKeys> {}
}

declare module '../../kernel/feature.ts' {
  interface Services {
    readonly tools: ToolDependencies;
    /** Servers of others whose tools a run may call. */
    readonly mcpServers: McpServers;
  }

  interface Settings {
    readonly tools: ToolSet;
  }
}

/** What a model may call: searches, pages, code, skills. */
export const feature = defineFeature({
  name: 'tools',
  config: toolConfig,
  needs: ['search', 'pages', 'finance', 'sandbox'],
  gives: ['tools', 'mcpServers'],
  settings: () => ({ tools: new ToolSet(definitions) }),
  async open({ config, settings, kernel: { log, clock, ids }, services, keep }) {
    const { search, pages, finance, sandbox } = services;
    const onFailure = createFailureLog((line) => log.warn(line, 'a tool of the agent failed'), clock);
    const servers = openMcpServers({
      mcp: config.mcp,
      allowHosts: config.outbound.allowHosts,
      version: settings.version,
      onFailure,
    });
    return {
      mcpServers: await keep(Promise.resolve(servers)),
      tools: {
        search,
        pages,
        finance,
        // A runner is looked for while the server serves.
        get sandbox() {
          return sandbox.current();
        },
        priceOf: ({ name, usd }) => settings.priceOf(name, 'input') ?? usd,
        clock,
        ids,
        onFailure,
      },
    };
  },
});
