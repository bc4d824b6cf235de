import type { BackupParts } from './features/service/commands/backup-parts.ts';
import type { ClientParts } from './features/client/commands/client-parts.ts';
import type { DoctorParts } from './features/service/commands/doctor-parts.ts';
import type { EvaluationParts } from './features/decisions/commands/eval-parts.ts';
import type { JobTools } from './features/jobs/commands/jobs.ts';
import type { IndexParts } from './features/index/commands/index-parts.ts';
import type { ModelsParts } from './features/models/commands/models-parts.ts';
import type { ServeParts } from './features/service/commands/serve-parts.ts';
import type { StoreParts } from './features/accounts/commands/store-parts.ts';
import type { WorkerParts } from './features/service/commands/worker-parts.ts';

/** Everything that any command is handed. */
export type CommandParts = EvaluationParts &
  StoreParts<JobTools> &
  BackupParts &
  ModelsParts &
  ClientParts &
  DoctorParts &
  IndexParts &
  ServeParts &
  WorkerParts;

/** Resolves to the exit code. */
export type Run = (argv: readonly string[], parts: CommandParts) => Promise<number>;

export interface Command {
  readonly name: string;
  /** A line of `nestor --help`. */
  readonly summary: string;
  /** It runs until it is stopped, whether or not somebody reads what it prints, and then ends with all it left open. */
  readonly isService?: boolean;
  /** Loaded when it is asked for: a server does without. */
  load(): Promise<Run>;
}

/** Commands that belong together. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** Every command, in the order in which `nestor --help` shows them. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: 'Start',
    commands: [
      {
        name: 'serve',
        summary: 'serve the API and the console (what nestor alone does)',
        isService: true,
        load: async () => (await import('./features/service/commands/serve.ts')).runServe,
      },
      {
        name: 'doctor',
        summary: 'what works on this machine, and what to do about the rest',
        load: async () => (await import('./features/service/commands/doctor.ts')).runDoctor,
      },
      {
        name: 'config',
        summary: 'the configuration in force, or its JSON Schema',
        load: async () => (await import('./features/service/commands/config.ts')).runConfig,
      },
      {
        name: 'worker',
        summary: 'run asynchronous chat completions, without serving',
        isService: true,
        load: async () => (await import('./features/service/commands/worker.ts')).runWorker,
      },
    ],
  },
  {
    title: 'Ask a server',
    commands: [
      {
        name: 'decide',
        summary: 'questions about a text or a table, answered with probabilities',
        load: async () => (await import('./features/client/commands/decide.ts')).runDecide,
      },
      {
        name: 'ask',
        summary: 'an answer from searched pages, with its sources',
        load: async () => (await import('./features/client/commands/ask.ts')).runAsk,
      },
      {
        name: 'research',
        summary: 'a thorough report, written in the background',
        load: async () => (await import('./features/client/commands/research.ts')).runResearch,
      },
      {
        name: 'search',
        summary: 'pages of the web and of the own index',
        load: async () => (await import('./features/client/commands/search.ts')).runSearch,
      },
      {
        name: 'skills',
        summary: 'skills of the agent: list, add, update, remove, get',
        load: async () => (await import('./features/client/commands/skills.ts')).runSkills,
      },
      {
        name: 'mcp',
        summary: 'the tools of a server for a program that speaks MCP',
        load: async () => (await import('./features/mcp/commands/mcp.ts')).runMcp,
      },
    ],
  },
  {
    title: 'What it answers with',
    commands: [
      {
        name: 'models',
        summary: 'models: list, test, pull a file from the Hugging Face Hub',
        load: async () => (await import('./features/models/commands/models.ts')).runModels,
      },
      {
        name: 'index',
        summary: 'documents that searches find: add folders, pages, sites, feeds',
        load: async () => (await import('./features/index/commands/index-documents.ts')).runIndex,
      },
      {
        name: 'eval',
        summary: "how good an engine's answers are",
        load: async () => (await import('./features/decisions/commands/eval.ts')).runEval,
      },
      {
        name: 'calibrate',
        summary: "fit an engine's probabilities to known answers",
        load: async () => (await import('./features/decisions/commands/calibrate.ts')).runCalibrate,
      },
    ],
  },
  {
    title: 'Accounts and the store',
    commands: [
      {
        name: 'accounts',
        summary: 'accounts, the credits they purchased and so their tiers',
        load: async () => (await import('./features/accounts/commands/accounts.ts')).runAccounts,
      },
      {
        name: 'keys',
        summary: 'keys of an account: list, create, revoke',
        load: async () => (await import('./features/accounts/commands/keys.ts')).runKeys,
      },
      {
        name: 'usage',
        summary: 'requests, tokens and cost by account, key, model, operation, day',
        load: async () => (await import('./features/accounts/commands/usage.ts')).runUsage,
      },
      {
        name: 'ledger',
        summary: 'what is not in the database yet of what was billed: status, repair',
        load: async () => (await import('./features/accounts/commands/ledger.ts')).runLedger,
      },
      {
        name: 'jobs',
        summary: 'asynchronous jobs of all accounts: list, retry, cancel',
        load: async () => (await import('./features/jobs/commands/jobs.ts')).runJobs,
      },
      {
        name: 'backup',
        summary: 'copy the store to a file and check the copy, while servers go on',
        load: async () => (await import('./features/service/commands/backup.ts')).runBackup,
      },
      {
        name: 'restore',
        summary: 'put a backup in place of the store',
        load: async () => (await import('./features/service/commands/restore.ts')).runRestore,
      },
      {
        name: 'migrate',
        summary: 'bring the store to the schema of this version',
        load: async () => (await import('./features/service/commands/migrate.ts')).runMigrate,
      },
      {
        name: 'export',
        summary: 'write everything that the store keeps into a file',
        load: async () => (await import('./features/service/commands/export.ts')).runExport,
      },
      {
        name: 'import',
        summary: 'read an export into an empty store',
        load: async () => (await import('./features/service/commands/import.ts')).runImport,
      },
    ],
  },
];

export const commands: readonly Command[] = commandGroups.flatMap((group) => group.commands);
