import { execFile } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '../../kernel/kit/errors.ts';

interface ChildOptions {
  /** Module that the process runs; its input is its one argument, as JSON. */
  readonly entry: URL;
  readonly input: object;
  readonly timeoutMs: number;
  readonly heapMb: number;
  /** Ends the process. */
  readonly signal?: AbortSignal | undefined;
}

/** What the process writes: what it found, or why it could not, in one line. */
export type ChildReply<Found> = { readonly found: Found } | { readonly problem: string };

const outputBytesMax = 65_536;

/**
 * What a module finds out about a file in a process of its own, so that a broken or hostile file ends that one and never
 * this. The process sees nothing of the environment but where compiled code is kept. Never rejects; resolves to a problem where it ends without a reply.
 */
export function askChild<Found>(child: ChildOptions): Promise<ChildReply<Found>> {
  const { entry, input, timeoutMs, heapMb, signal } = child;
  const args = [
    `--max-old-space-size=${heapMb}`,
    '--no-warnings',
    fileURLToPath(entry),
    JSON.stringify(input),
  ];
  const limits = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: outputBytesMax } as const;
  const options = { ...limits, ...(signal && { signal }), env: compileCache() };
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, stdout) => {
      resolve(error === null ? parse(stdout) : { problem: endingOf(error, timeoutMs) });
    });
  });
}

/** A quarter of the CPU time of a process that opens a small model is to take off types and to compile (measured). */
function compileCache(): NodeJS.ProcessEnv {
  const ofVersion = getCompileCacheDir();
  return ofVersion === undefined ? {} : { NODE_COMPILE_CACHE: dirname(ofVersion) };
}

function endingOf(
  { killed, signal, code }: Error & { killed?: boolean; signal?: unknown; code?: unknown },
  timeoutMs: number,
): string {
  if (killed === true) return `opening it took longer than ${timeoutMs / 1_000} s`;
  return `the process that opened it ended with ${String(signal ?? code)}`;
}

function parse<Found>(output: string): ChildReply<Found> {
  try {
    return JSON.parse(output) as ChildReply<Found>;
  } catch {
    return { problem: 'the process that opened it gave no answer' };
  }
}

/** The reply of the process to its input. */
export async function replyWith(find: (input: unknown) => Promise<object>): Promise<void> {
  const reply = await find(JSON.parse(process.argv[2] ?? '')).then(
    (found) => ({ found }),
    (error: unknown) => ({ problem: inOneLine(error) }),
  );
  process.stdout.write(JSON.stringify(reply));
}

const problemMax = 500;

function inOneLine(error: unknown): string {
  const message = errorMessage(error);
  return message.replaceAll(/\s+/g, ' ').slice(0, problemMax);
}
