import type { Config } from '../../../kernel/config.ts';

/** Workers of this process on the store of a configuration. */
export interface RunningWorker {
  /** Jobs at the same time. */
  readonly workers: number;
  /** Interrupts what runs and gives it back. */
  close(): Promise<void>;
}

export interface WorkerParts {
  /** Throws an Error of one line for a store that only one process may use. */
  openWorker(config: Config): Promise<RunningWorker>;
}
