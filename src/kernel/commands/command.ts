import type { Readable, Writable } from 'node:stream';
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Config, Configuration } from '../config.ts';
import type { Clock } from '../kit/clock.ts';
import type { Terminal } from './progress.ts';

/** Environment of a command, replaced by tests. Features merge what their commands need. */
export interface CommandContext {
  /** Base of relative paths. */
  readonly cwd: string;
  /** Whether NO_COLOR is set. */
  readonly isPlain: boolean;
  readonly version: string;
  /** All commands, in the order of `nestor --help`. */
  readonly commands: readonly Command[];
  /** Loads the configuration, from `file` if given. Rejects with a ConfigError. */
  load(file: string | undefined): Promise<Config>;
  configuration(): Promise<Pick<Configuration, 'load' | 'describe' | 'jsonSchema' | 'findKey'>>;
  readonly out: Terminal;
  readonly err: Terminal;
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined };
  readonly stdout: Writable;
  readonly clock: Clock;
  /** Aborted by Ctrl-C; a command then prints what it has. */
  readonly signal: AbortSignal;
}

/** What a command line of it may hold, for completions. */
export interface LineShape {
  readonly options: ParseArgsOptionsConfig;
  /** Its first word is one of these; empty where there is none. */
  readonly verbs: readonly string[];
}

/** Resolves to the exit code. */
interface Run {
  (argv: readonly string[], context: CommandContext): Promise<number>;
  readonly shape: LineShape;
}

/** Groups of `nestor --help`, in order. */
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
  /** Runs until stopped, read or not, and then ends whatever is still open. */
  readonly isService?: boolean;
  /** Loaded on demand. */
  load(): Promise<Run>;
}

/** Commands of one group, by name. */
export const commandsOf = (
  group: Command['group'],
  commands: Readonly<Record<string, Omit<Command, 'name' | 'group'>>>,
): readonly Command[] => Object.entries(commands).map(([name, command]) => ({ name, group, ...command }));

/**
 * The commands with another form of one of them, which does its work where the line has an option of its own: the two
 * share a name and ask different things.
 */
export const withForm = (
  commands: readonly Command[],
  form: { readonly of: string; readonly option: string; load(): Promise<Run> },
): readonly Command[] =>
  commands.map((command) =>
    command.name === form.of ? { ...command, load: () => loadForms(command, form) } : command,
  );

async function loadForms(
  command: Command,
  form: { readonly option: string; load(): Promise<Run> },
): Promise<Run> {
  const [usual, other] = await Promise.all([command.load(), form.load()]);
  const isOther = (argv: readonly string[]): boolean =>
    argv.some((word) => word === `--${form.option}` || word.startsWith(`--${form.option}=`));
  const run = (argv: readonly string[], context: CommandContext): Promise<number> => {
    if (!isOther(argv)) return usual(argv, context);
    // `--answers --help` asks about the form, though its option lacks the value.
    return other(argv.some((word) => word === '--help' || word === '-h') ? ['--help'] : argv, context);
  };
  const options = { ...other.shape.options, ...usual.shape.options };
  return Object.assign(run, { shape: { options, verbs: usual.shape.verbs } });
}
