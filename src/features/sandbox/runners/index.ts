import type { Baits } from '../probe.ts';
import type { SandboxRunner } from '../runner.ts';
import { openBubblewrap } from './bubblewrap/index.ts';
import { openPyodide } from './pyodide/index.ts';

/** Opens a runner that has been seen to refuse what it must. Throws `RunnerUnfit` where it cannot be used. */
export type OpenRunner = (baits: Baits, signal: AbortSignal) => Promise<SandboxRunner>;

/** By their words in the configuration, the better one first. */
export const runners = {
  bubblewrap: openBubblewrap,
  pyodide: openPyodide,
} as const satisfies Readonly<Record<string, OpenRunner>>;
