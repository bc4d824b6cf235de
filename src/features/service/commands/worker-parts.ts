import type { Config } from '../../../kernel/config.ts';

/** Workers of this process on the store of a configuration. */
export interface RunningWorker {
  /** Interrupts what runs and gives it back. */
  close(): Promise<void>;
}

export interface WorkerParts {
  openWorker(config: Config): Promise<RunningWorker>;
}
