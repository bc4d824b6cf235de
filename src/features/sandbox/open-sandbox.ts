import { availableParallelism, totalmem } from 'node:os';
import { setTimeout as pauseFor } from 'node:timers/promises';
import type { Config } from '../../kernel/config.ts';
import { FairSlots } from '../../kernel/kit/fair-slots.ts';
import type { Log } from '../../kernel/kit/log.ts';
import { withBaits } from './probe.ts';
import { RunnerUnfit, type RunnerDeclaration, type SandboxRunner, type SharedRunner } from './runner.ts';
import { sandboxRunners } from './runners/index.ts';
import { withSlots } from './slots.ts';

export interface SandboxOptions {
  /** The section of the configuration, with the name of a runner, `auto` or `off`. */
  readonly config: Config['sandbox'];
  /** Those that it may name, the better one first. */
  readonly runners?: readonly RunnerDeclaration[];
  /** Runs at the same time. With two or more, one account never has all of them. */
  readonly runsMax: number;
  /** Runs that wait; one more is refused. */
  readonly waitingMax: number;
  /** Called with the result of the first search, and with each change after it. */
  readonly onReport?: (report: SandboxReport) => void;
  /** Replaced in tests. */
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

/** Memory of one run, about. Half of the machine is for the server. */
const runBytes = 536_870_912;
/** Runs that wait for a slot, half of them of one account. The longest wait is bounded by the deadline of the tool. */
const waitingMax = 128;

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

/** Looks for a runner in the background and logs the result. `current()` is null where code cannot be run. */
export function openCodeSandbox(
  config: Config['sandbox'],
  runners: readonly RunnerDeclaration[],
  log: Log,
): Sandbox {
  return openSandbox({
    config,
    runners,
    runsMax: toRunsMax(availableParallelism(), totalmem()),
    waitingMax,
    onReport: (report) => {
      if (config.runner !== 'off') logReport(report, log);
    },
  });
}

/**
 * Twice the processors, because one account has at most half of the slots. Never one alone: a run takes up to a minute,
 * and another account would wait for its end.
 */
export function toRunsMax(processors: number, memoryBytes: number): number {
  return Math.max(2, Math.min(2 * processors, Math.floor(memoryBytes / 2 / runBytes)));
}

function logReport({ runner, unfit }: SandboxReport, log: Log): void {
  if (runner === null)
    log.warn(
      { unfit },
      'no sandbox works here: agents cannot run code; it is tried again where that may help',
    );
  else log.info({ runner, unfit }, 'the sandbox for code is ready');
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
    const {
      config: { runner },
      runners = sandboxRunners,
    } = options;
    const first = this.#look(runners.filter(({ name }) => runner === 'auto' || runner === name));
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

  async #lookAgain(runners: readonly RunnerDeclaration[]): Promise<void> {
    const { pause = pauseUnref } = this.#options;
    const { signal } = this.#closing;
    let left = runners;
    for (let waitMs = firstPauseMs; left.length > 0; waitMs = Math.min(2 * waitMs, pauseMsMax)) {
      await pause(waitMs, signal).catch(() => {});
      if (signal.aborted) return;
      left = (await this.#look(left)).again;
    }
  }

  /** `again`: those that are worth another try. */
  async #look(runners: readonly RunnerDeclaration[]) {
    const { config, onReport = () => {} } = this.#options;
    const closing = this.#closing.signal;
    const signal = AbortSignal.any([closing, AbortSignal.timeout(openingMs)]);
    const { runner, unfit } = await firstFit(runners, config, signal);
    const isNews = runner !== null || this.#current === null;
    if (runner !== null) this.#use(runner);
    const report = { runner: this.#current?.name ?? null, unfit };
    if (isNews && !closing.aborted) onReport(report);
    return {
      report,
      again: runners.filter(({ name }) => unfit.some((one) => one.runner === name && !one.isLasting)),
    };
  }

  #use(runner: SandboxRunner): void {
    const before = this.#current;
    const { signal } = this.#closing;
    this.#current = signal.aborted ? null : withSlots(runner, this.#slots, signal);
    // Runs that are under way in it come to their end.
    if (signal.aborted) void runner.close();
    void before?.close();
  }
}

async function pauseUnref(ms: number, signal: AbortSignal): Promise<void> {
  await pauseFor(ms, undefined, { signal, ref: false });
}

async function firstFit(
  runners: readonly RunnerDeclaration[],
  config: Config['sandbox'],
  signal: AbortSignal,
) {
  const unfit: (ReturnType<typeof whyUnfit> & { readonly runner: string })[] = [];
  for (const runner of runners) {
    try {
      return { runner: await withBaits((baits) => runner.open({ ...config, baits, signal })), unfit };
    } catch (error) {
      unfit.push({ runner: runner.name, ...whyUnfit(error, signal) });
    }
  }
  return { runner: null, unfit };
}

function whyUnfit(error: unknown, signal: AbortSignal) {
  if (error instanceof RunnerUnfit) return { reason: error.message, isLasting: error.isLasting };
  if (signal.aborted) return { reason: 'there was no time', isLasting: false };
  return { reason: error instanceof Error ? error.message : 'it cannot be started', isLasting: false };
}
