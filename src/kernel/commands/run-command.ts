import type { ParseArgsOptionsConfig } from 'node:util';
import type { CommandContext } from './command.ts';
import { parseCommandLine, type CommandLine } from './command-line.ts';
import { exitCodes, withExitCode } from './exit-codes.ts';

const commonOptions = {
  help: { type: 'boolean', short: 'h', default: false },
  json: { type: 'boolean', default: false },
} as const;

/** The option of every command that reads the configuration. */
export const configOption = { config: { type: 'string' } } as const;

/** The command line of a command with options of its own, `--help` and `--json`. */
export type OwnLine<Own extends ParseArgsOptionsConfig> = CommandLine<typeof commonOptions & Own>;

export interface CommandText<Own extends ParseArgsOptionsConfig> {
  readonly name: string;
  /** The text of `--help`. */
  readonly usage: string;
  readonly options: Own;
}

/** Reads the command line, prints the usage where `--help` asks for it, and does the work. Resolves to the exit code. */
export function runCommand<Own extends ParseArgsOptionsConfig>(
  { name, usage, options }: CommandText<Own>,
  argv: readonly string[],
  context: Pick<CommandContext, 'out' | 'err' | 'signal'>,
  work: (line: OwnLine<Own>) => Promise<number>,
): Promise<number> {
  return withExitCode(name, context, () => {
    const all: typeof commonOptions & Own = { ...commonOptions, ...options };
    const line = parseCommandLine(argv, all);
    const { help } = line.values as { readonly help?: boolean };
    if (help !== true) return work(line);
    context.out.write(`${usage}\n`);
    return Promise.resolve(exitCodes.done);
  });
}
