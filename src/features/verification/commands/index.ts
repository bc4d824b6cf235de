import { commandsOf, type Command } from '../../../kernel/commands/command.ts';

export const commands: readonly Command[] = commandsOf('What it answers with', {
  verify: {
    summary: 'recompute the receipt of an answer, offline',
    load: async () => (await import('./verify.ts')).runVerify,
  },
});
