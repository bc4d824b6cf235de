import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { toArguments } from '../support/typescript-process.ts';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs a file of `processes/` and hands the child to `onOutput` at its first output. */
export async function run(
  name: string,
  args: readonly string[],
  onOutput: (child: ChildProcess) => void = () => {},
): Promise<Ended> {
  const file = fileURLToPath(new URL(`./processes/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, [...toArguments(file), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stderr.on('data', (data: Buffer) => {
    errors += data.toString();
  });
  child.stdout.on('data', (data: Buffer) => {
    if (output === '') onOutput(child);
    output += data.toString();
  });
  await once(child, 'close');
  return { code: child.exitCode, signal: child.signalCode, output, errors };
}
