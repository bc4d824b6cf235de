import type { Config } from '../../../kernel/config.ts';

/** A server of this process that listens. */
export interface RunningServer {
  /** The address that callers use, for example `http://127.0.0.1:8787`. */
  readonly url: string;
  /** The root key that this start made; null when there was one. Shown once. */
  readonly newRootKey: string | null;
  /** What answers decisions. */
  readonly engineName: string;
  /** Names of all models that could be asked when it began. */
  readonly models: readonly string[];
  /** Gives running requests the grace time, then ends them. `signal` is the name of what asked for it. */
  close(signal: unknown): Promise<void>;
}

/** What `nestor serve` is handed. */
export interface ServeParts {
  openServer(config: Config): Promise<RunningServer>;
  readonly version: string;
  /** Whether NESTOR_ROOT_KEY is set, so that the line to try can name it. */
  readonly hasRootKeyVariable: boolean;
}
