import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import { UsageError } from '../../../kernel/commands/exit-codes.ts';

const inputBytesMax = 33_554_432;

/** A file as text. Throws UsageError for one that cannot be read: the command line names it. */
export function readText(path: string, { cwd }: Pick<CommandContext, 'cwd'>): string {
  return readBytes(path, { cwd }).toString('utf8');
}

export function readBytes(path: string, { cwd }: Pick<CommandContext, 'cwd'>): Buffer {
  try {
    return readFileSync(resolve(cwd, path));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new UsageError(`${path} cannot be read (${code}).`);
  }
}

/** What the words say, or standard input where there are none and it is no terminal. Throws UsageError. */
export async function readWordsOrInput(
  words: readonly string[],
  what: string,
  { stdin }: Pick<CommandContext, 'stdin'>,
): Promise<string> {
  const isPiped = words.length === 1 && words[0] === '-';
  if (words.length > 0 && !isPiped) return words.join(' ');
  if (!isPiped && stdin.isTTY === true) throw new UsageError(`${what} is missing.`);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > inputBytesMax) throw new UsageError(`${what} has more than ${inputBytesMax} bytes.`);
    chunks.push(Buffer.from(chunk));
  }
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
  if (text.trim() === '') throw new UsageError(`${what} is missing.`);
  return text;
}
