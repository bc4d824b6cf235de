import { readFileSync } from 'node:fs';
import { errorCode } from '../kit/errors.ts';
import { ConfigError } from '../config/fault.ts';
import { Fault } from '../faults.ts';
import type { CommandContext } from './command.ts';

/** A command line that cannot be carried out. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export class UnknownOption extends UsageError {
  readonly problem: string;
  /** Without dashes; it may be a configuration key. Null where the command reads no configuration. */
  readonly word: string | null;
  constructor(problem: string, hint: string, word: string | null) {
    super(`${problem}${hint}`);
    this.problem = problem;
    this.word = word;
  }
}

/** An unusable file of examples or calibration. The message is one line that names the place. */
export class ExampleError extends Error {
  override readonly name = 'ExampleError';

  /** Makes those of a file, for a reader that knows lines alone. */
  static in(source: string): (line: number, problem: string) => ExampleError {
    return (line, problem) => new ExampleError(`${source}:${line}: ${problem}`);
  }
}

/** Reads a file of examples or answers, or standard input where `path` is 0. Throws ExampleError with its name. */
export function readNamedFile(path: string | number, name: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ExampleError(`${name}: cannot be read (${errorCode(error)})`);
  }
}

export const exitCodes = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** Runs a command and reports the user's errors in one line. Others are rethrown. */
export async function withExitCode(
  name: string,
  context: Pick<CommandContext, 'err' | 'signal'> & Partial<Pick<CommandContext, 'configuration'>>,
  command: () => Promise<number>,
): Promise<number> {
  try {
    return await command();
  } catch (error) {
    if (error instanceof UsageError) {
      context.err.write(`nestor: ${await toMessage(error, context)} Try: nestor ${name} --help\n`);
      return exitCodes.usage;
    }
    if (error instanceof ConfigError) {
      context.err.write(`nestor: ${error.message}\n`);
      return exitCodes.usage;
    }
    if (!(error instanceof ExampleError || error instanceof Fault)) throw error;
    context.err.write(`nestor: ${error.message}\n`);
    return context.signal.aborted ? exitCodes.interrupted : exitCodes.failed;
  }
}

/** An unknown option may be a configuration key: `--port`. */
async function toMessage(
  error: UsageError,
  context: Partial<Pick<CommandContext, 'configuration'>>,
): Promise<string> {
  if (!(error instanceof UnknownOption) || error.word === null) return error.message;
  const configuration = await context.configuration?.();
  const key = configuration?.findKey(error.word);
  if (key === undefined) return error.message;
  const { path, variable } = key;
  return `${error.problem} It is a key of the configuration: set ${variable}, or ${path} in nestor.yaml.`;
}
