import type { ParseArgsOptionsConfig } from 'node:util';
import type { CommandContext } from './command.ts';
import { parseCommandLine, type CommandLine } from './command-line.ts';
import { exitCodes, withExitCode } from './exit-codes.ts';

const commonOptions = {
  help: { type: 'boolean', short: 'h', default: false },
  json: { type: 'boolean', default: false },
} as const;

/** Option of every command that reads the configuration. */
export const configOption = { config: { type: 'string' } } as const;

/** A command's own options with `--help` and `--json`. */
export type OwnLine<Own extends ParseArgsOptionsConfig> = CommandLine<typeof commonOptions & Own>;

export interface CommandText<Own extends ParseArgsOptionsConfig> {
  readonly name: string;
  /** The text of `--help`. */
  readonly usage: string;
  readonly options: Own;
}

/** Parses the command line, prints the usage for `--help`, or does the work. Resolves to the exit code. */
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
