import type { ParseArgsOptionsConfig } from 'node:util';
import type { CommandContext, LineShape } from './command.ts';
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
  readonly verbs?: readonly string[];
}

/** A command that parses its line, prints the usage for `--help`, or does the work. It resolves to the exit code. */
export function defineCommand<
  Own extends ParseArgsOptionsConfig,
  Context extends Pick<CommandContext, 'out' | 'err' | 'signal'> = CommandContext,
>(
  { name, usage, options, verbs = [] }: CommandText<Own>,
  work: (line: OwnLine<Own>, context: Context) => Promise<number>,
) {
  const all: typeof commonOptions & Own = { ...commonOptions, ...options };
  const shape: LineShape = { options: all, verbs };
  const run = (argv: readonly string[], context: Context): Promise<number> =>
    withExitCode(name, context, () => {
      const line = parseCommandLine(argv, all);
      const { help } = line.values as { readonly help?: boolean };
      if (help !== true) return work(line, context);
      context.out.write(`${usage}\n`);
      return Promise.resolve(exitCodes.done);
    });
  return Object.assign(run, { shape });
}
