import { commandsOf, type Command, type CommandContext } from '../../../kernel/commands/command.ts';

export const commands: readonly Command[] = [
  ...commandsOf('Start', {
    serve: {
      summary: 'serve the API and the console',
      isService: true,
      load: async () => (await import('./serve.ts')).runServe,
    },
    init: {
      summary: 'write a configuration by answering five questions',
      load: async () => (await import('./init.ts')).runInit,
    },
    demo: {
      summary: 'a scratch server with something to look at, and the first steps',
      isService: true,
      load: async () => (await import('./demo.ts')).runDemo,
    },
    doctor: {
      summary: 'what works on this machine, and what to do about the rest',
      load: async () => (await import('./doctor.ts')).runDoctor,
    },
    config: {
      summary: 'the configuration in force, or its JSON Schema',
      load: async () => (await import('./config.ts')).runConfig,
    },
    completions: {
      summary: 'what a shell completes: bash, zsh, fish',
      load: async () => (await import('./completions.ts')).runCompletions,
    },
    worker: {
      summary: 'run asynchronous chat completions and batches of decisions',
      isService: true,
      load: async () => (await import('./serve.ts')).runWorker,
    },
  }),
  ...commandsOf('Accounts and the store', {
    backup: {
      summary: 'copy the store to a file and check the copy, while servers go on',
      load: async () => (await import('./backup.ts')).runBackup,
    },
    restore: {
      summary: 'put a backup in place of the store',
      load: async () => (await import('./backup.ts')).runRestore,
    },
    migrate: {
      summary: 'bring the store to the schema of this version',
      load: async () => (await import('./migrate.ts')).runMigrate,
    },
    export: {
      summary: 'write everything that the store keeps into a file',
      load: async () => (await import('./transfer.ts')).runExport,
    },
    import: {
      summary: 'read an export into an empty store',
      load: async () => (await import('./transfer.ts')).runImport,
    },
  }),
];

/** What `nestor` alone does. Resolves to the exit code. */
export const greet = async (context: CommandContext): Promise<number> =>
  (await import('./greeting.ts')).greet(context);
