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
