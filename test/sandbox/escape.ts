import type { SandboxLanguage, SandboxLimits } from '../../src/features/sandbox/runner.ts';

/** What the code of an attempt is told about the host, to attack it. */
export interface Host {
  /** A file that everybody may read, with the secret in it. */
  readonly file: string;
  readonly folder: string;
  readonly pid: number;
  readonly tcpPort: number;
  readonly udpPort: number;
  readonly socketPath: string;
  readonly abstractName: string;
}

export interface Attempt {
  readonly name: string;
  /** Both, unless said otherwise. */
  readonly runners?: readonly string[];
  readonly language?: SandboxLanguage;
  readonly caps?: Partial<SandboxLimits>;
  /**
   * `refused`: every `attempt` in the code fails, and at least one is made. `blind`: the code runs to its end and has
   * seen nothing of the host. `ended`: the run ends as failed or timed out.
   */
  readonly expect: 'refused' | 'blind' | 'ended';
  readonly code: (host: Host) => string;
}

/** Before every attempt in Python. What it prints is judged. */
export const prelude = `
import os, sys
def attempt(what):
    try:
        result = what()
    except BaseException as error:
        print('refused', type(error).__name__, str(error)[:200].replace(chr(10), ' '))
    else:
        print('ESCAPED', repr(result)[:500])
def see(what):
    try:
        print('saw', repr(what())[:5000])
    except BaseException as error:
        print('refused', type(error).__name__)
`;

export const bubblewrap: readonly string[] = ['bubblewrap'];
export const pyodide: readonly string[] = ['pyodide'];

/** A string as Python writes it. */
export function q(text: string): string {
  return JSON.stringify(text);
}
