import type { EvaluationParts } from './eval-parts.ts';
import type { ModelsParts } from './models-parts.ts';
import type { StoreParts } from './store-parts.ts';

/** Everything that any command is handed. */
export type CommandParts = EvaluationParts & StoreParts & ModelsParts;

/** Resolves to the exit code. */
export type Run = (argv: readonly string[], parts: CommandParts) => Promise<number>;

export interface Command {
  readonly name: string;
  /** A line of `nestor --help`. */
  readonly summary: string;
  /** Loaded when it is asked for: a server does without. */
  load(): Promise<Run>;
}

/** Every command with options of its own. */
export const commands: readonly Command[] = [
  {
    name: 'models',
    summary: 'models: list, test, pull a file from the Hugging Face Hub',
    load: async () => (await import('./models.ts')).runModels,
  },
  {
    name: 'accounts',
    summary: 'accounts, the credits they purchased and so their tiers',
    load: async () => (await import('./accounts.ts')).runAccounts,
  },
  {
    name: 'keys',
    summary: 'keys of an account: list, create, revoke',
    load: async () => (await import('./keys.ts')).runKeys,
  },
  {
    name: 'usage',
    summary: 'requests, tokens and cost by account, key, model, operation, day',
    load: async () => (await import('./usage.ts')).runUsage,
  },
  {
    name: 'migrate',
    summary: 'bring the store to the schema of this version',
    load: async () => (await import('./migrate.ts')).runMigrate,
  },
  {
    name: 'export',
    summary: 'write everything that the store keeps into a file',
    load: async () => (await import('./export.ts')).runExport,
  },
  {
    name: 'import',
    summary: 'read an export into an empty store',
    load: async () => (await import('./import.ts')).runImport,
  },
  {
    name: 'eval',
    summary: "how good an engine's answers are",
    load: async () => (await import('./eval.ts')).runEval,
  },
  {
    name: 'calibrate',
    summary: "fit an engine's probabilities to known answers",
    load: async () => (await import('./calibrate.ts')).runCalibrate,
  },
];
