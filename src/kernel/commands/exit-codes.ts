import { ConfigError } from '../config.ts';
import { Fault } from '../faults.ts';
import type { CommandContext } from './command.ts';

/** A command that cannot be carried out as it was typed. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A file of examples or a calibration that cannot be used. The message is one line that names the place. */
export class ExampleError extends Error {
  override readonly name = 'ExampleError';
}

/** Exit codes of commands. */
export const exitCodes = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** Runs a command and reports a failure of the user in one line. Other errors are rethrown. */
export async function withExitCode(
  name: string,
  context: Pick<CommandContext, 'err' | 'signal'>,
  command: () => Promise<number>,
): Promise<number> {
  try {
    return await command();
  } catch (error) {
    if (error instanceof UsageError) {
      context.err.write(`nestor: ${error.message} Try: nestor ${name} --help\n`);
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
