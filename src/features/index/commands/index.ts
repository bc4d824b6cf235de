import type { Command } from '../../../kernel/commands/command.ts';

export const commands: readonly Command[] = [
  {
    name: 'index',
    group: 'What it answers with',
    summary: 'documents that searches find: add folders, pages, sites, feeds',
    load: async () => (await import('./index-documents.ts')).runIndex,
  },
];
