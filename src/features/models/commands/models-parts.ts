import type { Config } from '../../../kernel/config.ts';
import type { Terminal } from '../../../kernel/commands/progress.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';
import type { OpenedModels } from '../open-models.ts';

/** The models of a configuration, as a server on it would see them. */
export interface ModelTools {
  readonly models: OpenedModels;
  /** When all providers have answered, or their time was over. */
  readonly settled: Promise<void>;
}

/** What `nestor models` is handed. */
export interface ModelsParts {
  load(file: string | undefined): Config;
  openModels(config: Config): Promise<ModelTools>;
  /** HF_ENDPOINT, HF_TOKEN and HTTPS_PROXY, as the tools of the Hub read them. */
  readonly hub: {
    readonly endpoint: string | undefined;
    readonly token: string | undefined;
    readonly proxy: string | undefined;
  };
  readonly out: Terminal;
  readonly err: Terminal;
  readonly clock: Clock;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}
