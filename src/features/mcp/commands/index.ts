import type { Command } from '../../../kernel/commands/command.ts';

export const commands: readonly Command[] = [
  {
    name: 'mcp',
    group: 'Ask a server',
    summary: 'the tools of a server for a program that speaks MCP',
    load: async () => (await import('./mcp.ts')).runMcp,
  },
];
