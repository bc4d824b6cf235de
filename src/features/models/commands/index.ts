import type { Command } from '../../../kernel/commands/command.ts';

export const commands: readonly Command[] = [
  {
    name: 'models',
    group: 'What it answers with',
    summary: 'models: list, test, pull from the Hugging Face Hub, import, remove',
    load: async () => (await import('./models.ts')).runModels,
  },
];
