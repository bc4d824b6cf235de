import { defineFeature } from '../../kernel/feature.ts';
import { mcpOperations } from './wire/operation.ts';

/** Tools for programs that speak the Model Context Protocol. */
export const feature = defineFeature({
  name: 'mcp',
  operations: mcpOperations,
  commands: [
    {
      name: 'mcp',
      group: 'Ask a server',
      summary: 'the tools of a server for a program that speaks MCP',
      load: async () => (await import('./commands/mcp.ts')).runMcp,
    },
  ],
});
