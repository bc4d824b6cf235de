import type { Command } from '../../../kernel/commands/command.ts';

export const commands: readonly Command[] = [
  {
    name: 'jobs',
    group: 'Accounts and the store',
    summary: 'asynchronous jobs of all accounts: list, retry, cancel',
    load: async () => (await import('./jobs.ts')).runJobs,
  },
];
