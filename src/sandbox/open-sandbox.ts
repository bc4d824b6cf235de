import { RunnerUnfit, withBaits, type Baits } from './probe.ts';
import type { SandboxRunner } from './runner.ts';
import { runners, type OpenRunner } from './runners/index.ts';
import { withSlots } from './slots.ts';

export type RunnerName = keyof typeof runners;

export interface SandboxOptions {
  readonly runner: RunnerName | 'auto' | 'off';
  /** Runs at the same time. */
  readonly runsMax: number;
  /** Runs that wait; one more is refused. */
  readonly waitingMax: number;
}

/** What was found out at the start, for the log. */
export interface SandboxReport {
  /** Null when none works, or none is wanted. */
  readonly runner: string | null;
  readonly unfit: readonly { readonly runner: string; readonly reason: string }[];
}

export interface Sandbox {
  /** Null while it is looked for, and where none works. */
  current(): SandboxRunner | null;
  readonly settled: Promise<SandboxReport>;
  /** Ends what runs. */
  close(): Promise<void>;
}

/** For all tries together. */
const openingMs = 180_000;

/** Looks in the background for a runner that is seen to work and to refuse; nothing else waits for it. */
export function openSandbox({ runner: wanted, ...slots }: SandboxOptions): Sandbox {
  const closing = new AbortController();
  let current: SandboxRunner | null = null;
  const names = toNames(wanted);
  const settled = withinTime(closing.signal, async (signal) => {
    const { runner, unfit } = await firstFit(names, signal);
    if (runner !== null) current = withSlots(untilClosed(runner, closing.signal), slots);
    return { runner: runner?.name ?? null, unfit };
  });
  return {
    current: () => current,
    settled,
    async close() {
      const open = current;
      current = null;
      closing.abort(new Error('the server stops'));
      await settled;
      await open?.close();
    },
  };
}

function toNames(wanted: SandboxOptions['runner']): readonly RunnerName[] {
  if (wanted === 'off') return [];
  return wanted === 'auto' ? ['bubblewrap', 'pyodide'] : [wanted];
}

function withinTime(
  closing: AbortSignal,
  find: (signal: AbortSignal) => Promise<SandboxReport>,
): Promise<SandboxReport> {
  const signal = AbortSignal.any([closing, AbortSignal.timeout(openingMs)]);
  return find(signal);
}

interface Found {
  readonly runner: SandboxRunner | null;
  readonly unfit: SandboxReport['unfit'];
}

async function firstFit(names: readonly RunnerName[], signal: AbortSignal): Promise<Found> {
  const unfit: { readonly runner: string; readonly reason: string }[] = [];
  for (const name of names) {
    const opened = await tryToOpen(runners[name], signal);
    if (typeof opened !== 'string') return { runner: opened, unfit };
    unfit.push({ runner: name, reason: opened });
  }
  return { runner: null, unfit };
}

/** The reason where it cannot be opened. */
async function tryToOpen(open: OpenRunner, signal: AbortSignal): Promise<SandboxRunner | string> {
  try {
    return await withBaits((baits: Baits) => open(baits, signal));
  } catch (error) {
    if (error instanceof RunnerUnfit) return error.message;
    if (signal.aborted) return 'there was no time';
    return error instanceof Error ? error.message : 'it cannot be started';
  }
}

/** Runs end when the server stops, whoever waits for them; closing waits for their end. */
function untilClosed(runner: SandboxRunner, closing: AbortSignal): SandboxRunner {
  const running = new Set<Promise<unknown>>();
  return {
    name: runner.name,
    languages: runner.languages,
    async run(run, limits, signal) {
      const result = runner.run(run, limits, AbortSignal.any([signal, closing]));
      running.add(result);
      try {
        return await result;
      } finally {
        running.delete(result);
      }
    },
    async close() {
      await Promise.allSettled(running);
      await runner.close();
    },
  };
}
