import { commandsOf, type Command } from '../../../kernel/commands/command.ts';

export const commands: readonly Command[] = commandsOf('Accounts and the store', {
  accounts: {
    summary: 'accounts, the credits they purchased and so their tiers',
    load: async () => (await import('./accounts.ts')).runAccounts,
  },
  keys: {
    summary: 'keys of an account: list, create, revoke',
    load: async () => (await import('./keys.ts')).runKeys,
  },
  usage: {
    summary: 'requests, tokens and cost by account, key, model, operation, day',
    load: async () => (await import('./usage.ts')).runUsage,
  },
  ledger: {
    summary: 'what is not in the database yet of what was billed: status, repair',
    load: async () => (await import('./ledger.ts')).runLedger,
  },
});
