import { createInterface } from 'node:readline';
import type { CommandContext } from './command.ts';

/** Asks a person. Without a terminal nobody is there, and the answer is no. */
export async function confirm(
  question: string,
  { stdin, err, signal }: Pick<CommandContext, 'stdin' | 'err' | 'signal'>,
): Promise<boolean> {
  if (stdin.isTTY !== true || signal.aborted) return false;
  err.write(`${question} [y/N] `);
  const lines = createInterface({ input: stdin, signal });
  try {
    for await (const line of lines) return /^y(?:es)?$/i.test(line.trim());
    return false;
  } finally {
    lines.close();
  }
}
