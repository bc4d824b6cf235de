import type { Config } from '../../../kernel/config.ts';
import type { Outcome, Progress, Source } from '../source.ts';
import type { Terminal } from '../../../kernel/commands/progress.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';

/** A source as the store keeps it. */
export interface KeptSource {
  readonly id: string;
  readonly kind: string;
  readonly location: string;
  readonly options: string;
  readonly everyMs: number | null;
  readonly addedAtMs: number;
  readonly begunAtMs: number | null;
  readonly refreshedAtMs: number | null;
  readonly dueAtMs: number | null;
  readonly outcome: string | null;
  /** Address at which the process ended twice; null for a source that is read as ever. */
  readonly setAside: string | null;
}

/** The index of a configuration, beside servers that may be running on it. */
export interface IndexTools {
  readonly sources: {
    ensure(
      source: Pick<KeptSource, 'id' | 'kind' | 'location' | 'options' | 'everyMs' | 'addedAtMs'>,
    ): Promise<KeptSource>;
    list(): Promise<readonly KeptSource[]>;
    find(idOrLocation: string): Promise<KeptSource | undefined>;
    remove(id: string): Promise<void>;
  };
  /** Of a source that was set aside: the next refresh reads it. */
  resume(id: string): Promise<void>;
  readonly corpus: { count(sourceId: string): Promise<number> };
  /** Null when another process is at it. */
  refresh(
    source: Source,
    signal: AbortSignal,
    onProgress: (progress: Progress) => void,
  ): Promise<Outcome | null>;
  close(): Promise<void>;
}

/** What `nestor index` is handed. */
export interface IndexParts {
  /** What relative paths are relative to. */
  readonly cwd: string;
  load(file: string | undefined): Config;
  openIndex(config: Config): Promise<IndexTools>;
  readonly out: Terminal;
  readonly err: Terminal;
  readonly clock: Clock;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}
