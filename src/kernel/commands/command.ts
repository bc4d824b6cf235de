import type { Readable, Writable } from 'node:stream';
import type { Config, Configuration } from '../config.ts';
import type { Clock } from '../kit/clock.ts';
import type { Terminal } from './progress.ts';

/** The surroundings of a command, which tests replace. Features merge what their own commands need. */
export interface CommandContext {
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** Whether NO_COLOR is set. */
  readonly isPlain: boolean;
  readonly version: string;
  /** Reads the configuration, from `file` where one is named. Throws a ConfigError. */
  load(file: string | undefined): Config;
  readonly configuration: Pick<Configuration, 'describe' | 'jsonSchema' | 'findKey'>;
  readonly out: Terminal;
  readonly err: Terminal;
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined };
  readonly stdout: Writable;
  readonly clock: Clock;
  /** Aborted by Ctrl-C, whereupon a command prints what it has by then. */
  readonly signal: AbortSignal;
}

/** Resolves to the exit code. */
type Run = (argv: readonly string[], context: CommandContext) => Promise<number>;

/** Groups of `nestor --help`, in its order. */
export const commandGroups = [
  'Start',
  'Ask a server',
  'What it answers with',
  'Accounts and the store',
] as const;

export interface Command {
  readonly name: string;
  readonly group: (typeof commandGroups)[number];
  /** A line of `nestor --help`. */
  readonly summary: string;
  /** It runs until it is stopped, whether or not somebody reads what it prints, and then ends with all it left open. */
  readonly isService?: boolean;
  /** Loaded when it is asked for: a server does without. */
  load(): Promise<Run>;
}
