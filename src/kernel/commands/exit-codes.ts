import { ConfigError } from '../config.ts';
import { ExampleError } from './example-error.ts';
import { Fault } from '../faults.ts';
import type { Terminal } from './progress.ts';
import { UsageError } from './usage-error.ts';

/** Exit codes of the commands here. */
export const exitCodes = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** Runs a command and tells what went wrong in one line. What is no failure of the user's goes through. */
export async function withExitCode(
  name: string,
  parts: { readonly err: Terminal; readonly signal: AbortSignal },
  command: () => Promise<number>,
): Promise<number> {
  try {
    return await command();
  } catch (error) {
    if (error instanceof UsageError) {
      parts.err.write(`nestor: ${error.message} Try: nestor ${name} --help\n`);
      return exitCodes.usage;
    }
    if (error instanceof ConfigError) {
      parts.err.write(`nestor: ${error.message}\n`);
      return exitCodes.usage;
    }
    if (!(error instanceof ExampleError || error instanceof Fault)) throw error;
    parts.err.write(`nestor: ${error.message}\n`);
    return parts.signal.aborted ? exitCodes.interrupted : exitCodes.failed;
  }
}
