import { setTimeout as pauseFor } from 'node:timers/promises';
import { FairSlots } from '../../kernel/kit/fair-slots.ts';
import { RunnerUnfit, withBaits, type Baits } from './probe.ts';
import type { SandboxRunner, SharedRunner } from './runner.ts';
import { runners, type OpenRunner } from './runners/index.ts';
import { withSlots } from './slots.ts';

export type RunnerName = keyof typeof runners;

export interface SandboxOptions {
  readonly runner: RunnerName | 'auto' | 'off';
  /** Runs at the same time. With two or more, one account never has all of them. */
  readonly runsMax: number;
  /** Runs that wait; one more is refused. */
  readonly waitingMax: number;
  /** Called with the result of the first search, and with each change after it. */
  readonly onReport?: (report: SandboxReport) => void;
  /** Replaced in tests. */
  readonly open?: Readonly<Record<RunnerName, OpenRunner>>;
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Result of a search, for the log. */
export interface SandboxReport {
  /** Null when none works, or none is wanted. */
  readonly runner: string | null;
  readonly unfit: readonly { readonly runner: string; readonly reason: string }[];
}

export interface Sandbox {
  /** Null while it is looked for, and where none works. */
  current(): SharedRunner | null;
  /** Result of the first search. */
  readonly settled: Promise<SandboxReport>;
  /** Ends what runs. */
  close(): Promise<void>;
}

/** For all tries of one search together. */
const openingMs = 180_000;
const firstPauseMs = 5_000;
const pauseMsMax = 600_000;

/**
 * Looks in the background for a runner that is seen to work and to refuse; nothing else waits for it. What failed for
 * a reason that may pass, such as a busy machine, is tried again after growing waits, for as long as it would be better
 * than what was found.
 */
export function openSandbox(options: SandboxOptions): Sandbox {
  return new Search(options);
}

class Search implements Sandbox {
  readonly settled: Promise<SandboxReport>;
  readonly #options: SandboxOptions;
  readonly #slots: FairSlots;
  readonly #closing = new AbortController();
  readonly #searching: Promise<void>;
  #current: SharedRunner | null = null;

  constructor(options: SandboxOptions) {
    this.#options = options;
    this.#slots = new FairSlots({ slotsMax: options.runsMax, waitingMax: options.waitingMax });
    const names = toNames(options.runner);
    const first = this.#look(names);
    this.settled = first.then(({ report }) => report);
    this.#searching = first.then(({ again }) => this.#lookAgain(again));
  }

  current(): SharedRunner | null {
    return this.#current;
  }

  async close(): Promise<void> {
    const open = this.#current;
    this.#current = null;
    this.#closing.abort(new Error('the server stops'));
    await this.#searching;
    await open?.close();
  }

  async #lookAgain(names: readonly RunnerName[]): Promise<void> {
    const { pause = pauseUnref } = this.#options;
    const { signal } = this.#closing;
    let left = names;
    for (let waitMs = firstPauseMs; left.length > 0; waitMs = Math.min(2 * waitMs, pauseMsMax)) {
      await pause(waitMs, signal).catch(() => {});
      if (signal.aborted) return;
      left = (await this.#look(left)).again;
    }
  }

  /** `again`: those that are worth another try. */
  async #look(names: readonly RunnerName[]) {
    const { open = runners, onReport = () => {} } = this.#options;
    const closing = this.#closing.signal;
    const signal = AbortSignal.any([closing, AbortSignal.timeout(openingMs)]);
    const { runner, unfit } = await firstFit(names, open, signal);
    const isNews = runner !== null || this.#current === null;
    if (runner !== null) this.#use(runner);
    const report = { runner: this.#current?.name ?? null, unfit };
    if (isNews && !closing.aborted) onReport(report);
    return {
      report,
      again: unfit.flatMap((one) => (one.isLasting ? [] : [one.runner])),
    };
  }

  #use(runner: SandboxRunner): void {
    const before = this.#current;
    const { signal } = this.#closing;
    this.#current = signal.aborted ? null : withSlots(untilClosed(runner, signal), this.#slots);
    // Runs that are under way in it come to their end.
    if (signal.aborted) void runner.close();
    void before?.close();
  }
}

async function pauseUnref(ms: number, signal: AbortSignal): Promise<void> {
  await pauseFor(ms, undefined, { signal, ref: false });
}

function toNames(wanted: SandboxOptions['runner']): readonly RunnerName[] {
  if (wanted === 'off') return [];
  return wanted === 'auto' ? ['bubblewrap', 'pyodide'] : [wanted];
}

interface Unfit {
  readonly runner: RunnerName;
  readonly reason: string;
  readonly isLasting: boolean;
}

interface Found {
  readonly runner: SandboxRunner | null;
  readonly unfit: readonly Unfit[];
}

async function firstFit(
  names: readonly RunnerName[],
  open: Readonly<Record<RunnerName, OpenRunner>>,
  signal: AbortSignal,
): Promise<Found> {
  const unfit: Unfit[] = [];
  for (const name of names) {
    try {
      return { runner: await withBaits((baits: Baits) => open[name](baits, signal)), unfit };
    } catch (error) {
      unfit.push({ runner: name, ...whyUnfit(error, signal) });
    }
  }
  return { runner: null, unfit };
}

function whyUnfit(error: unknown, signal: AbortSignal): Omit<Unfit, 'runner'> {
  if (error instanceof RunnerUnfit) return { reason: error.message, isLasting: error.isLasting };
  if (signal.aborted) return { reason: 'there was no time', isLasting: false };
  return { reason: error instanceof Error ? error.message : 'it cannot be started', isLasting: false };
}

/** A runner whose runs end when the server stops; closing waits for their end. */
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
