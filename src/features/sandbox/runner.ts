import type { TSchema } from 'typebox';
import type { SettingsOf } from '../../kernel/config/variants.ts';

export type SandboxLanguage = 'python' | 'bash';

export interface SandboxFile {
  /** Relative path with forward slashes, no `..`. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface SandboxRun {
  readonly language: SandboxLanguage;
  readonly code: string;
  /** Present before the code runs; those of `readOnlyFiles` lie under `skills/`, and no change to them is kept. */
  readonly files: readonly SandboxFile[];
  readonly readOnlyFiles: readonly SandboxFile[];
}

/** Caps on one run. Each is enforced outside of the code that it caps. */
export interface SandboxLimits {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly memoryBytesMax: number;
  /** Of standard output and of standard error, each; more is dropped, with a note. */
  readonly outputBytesMax: number;
  /** Of all files in the working folder. */
  readonly filesBytesMax: number;
  readonly filesMax: number;
  readonly processesMax: number;
}

type SandboxStatus = 'completed' | 'failed' | 'timed_out';

export interface SandboxResult {
  readonly status: SandboxStatus;
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly durationMs: number;
  /** Files of the working folder that are new or changed. */
  readonly files: readonly SandboxFile[];
  /** Paths of files that were there before and are no more. */
  readonly gone: readonly string[];
}

/**
 * Runs code of strangers where it can reach nothing: no network, no file of the host, no environment, no other
 * process. The spec of `sandbox/runners`. Code that fails is a result, not an error.
 */
export interface SandboxRunner {
  /** Word of the configuration. */
  readonly name: string;
  readonly languages: readonly SandboxLanguage[];
  /** Throws Fault `service_unavailable` when no run can be started now; rejects with the signal's reason on abort. */
  run(run: SandboxRun, limits: SandboxLimits, signal: AbortSignal): Promise<SandboxResult>;
  close(): Promise<void>;
}

/** A runner whose slots are shared by account. */
export interface SharedRunner extends Omit<SandboxRunner, 'run'> {
  /** As that of a runner; waits for a slot of this account first. */
  run(run: SandboxRun, limits: SandboxLimits, signal: AbortSignal, account: string): Promise<SandboxResult>;
}

/** A file and a port that code in a sandbox must not reach, made for the probe. */
export interface Baits {
  /** A file that everybody on this machine may read. */
  readonly file: string;
  /** A port of this machine with a listener. */
  readonly port: number;
  /** Whether the port was reached. */
  readonly isReached: () => boolean;
}

/** Why a runner cannot be used on this machine; for the log. */
export class RunnerUnfit extends Error {
  override readonly name = 'RunnerUnfit';
  /** False for what may be otherwise a while later: a busy machine has too little time, memory or processes. */
  readonly isLasting: boolean;

  constructor(message: string, isLasting = true) {
    super(message);
    this.isLasting = isLasting;
  }
}

/** What every runner is opened with. */
export interface RunnerContext {
  readonly baits: Baits;
  readonly signal: AbortSignal;
}

/** A runner that the configuration may name. */
export interface RunnerDeclaration<Keys extends Readonly<Record<string, TSchema>> = Record<string, TSchema>> {
  /** Its name in `sandbox.runner`. */
  readonly name: string;
  /** Further keys of the section `sandbox`. */
  readonly keys?: Keys;
  /** What `nestor doctor` advises to install where no runner works. */
  readonly needs: string;
  /**
   * Opens a runner that was seen to refuse what it must. Throws `RunnerUnfit` where it cannot be used, with the reason
   * that the log and `nestor doctor` show.
   */
  open(context: SettingsOf<Keys> & RunnerContext): Promise<SandboxRunner>;
}

/**
 * Declares a sandbox runner. Its name in the configuration, its keys and its place in `auto` follow from the list in
 * `runners/index.ts`.
 *
 * @example
 * export const gvisor = defineRunner({ name: 'gvisor', needs: 'runsc', open: openGvisor });
 */
export function defineRunner<const Keys extends Readonly<Record<string, TSchema>> = {}>(
  runner: RunnerDeclaration<Keys>,
): RunnerDeclaration {
  // A runner is opened with a section that its own keys accepted, so the narrower type is safe to forget.
  return runner;
}
