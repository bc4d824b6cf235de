import type { Readable, Writable } from 'node:stream';
import type { Terminal } from '../../../kernel/commands/progress.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';

/** What commands that talk to a server are handed. */
export interface ClientParts {
  /** What relative paths are relative to. */
  readonly cwd: string;
  /** Of the environment: NESTOR_URL, and NESTOR_KEY or else NESTOR_ROOT_KEY. */
  readonly api: { readonly url: string | undefined; readonly key: string | undefined };
  /** Whether NO_COLOR is set. */
  readonly isPlain: boolean;
  readonly version: string;
  readonly out: Terminal;
  readonly err: Terminal;
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined };
  readonly stdout: Writable;
  readonly clock: Clock;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}
