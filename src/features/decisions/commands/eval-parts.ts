import type { Config } from '../../../kernel/config.ts';
import type { DecisionEngine } from '../engine.ts';
import type { Terminal } from '../../../kernel/commands/progress.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';

/** Which engine is to be opened. */
export interface EngineRequest {
  readonly config: Config;
  /** One of `decisions.engine` in its place; null is the configured one. */
  readonly engine: string | null;
  /** A System One server to ask in place of any engine of ours. */
  readonly remote: Remote | null;
  /** To be called with the label mass of each view that the engine evaluates, if it knows it. */
  readonly onLabelMass: (mass: number) => void;
}

export interface Remote {
  readonly url: string;
  readonly key: string | null;
  readonly model: string;
}

/** What `nestor eval` and `nestor calibrate` are handed. */
export interface EvaluationParts {
  /** What relative paths are relative to. */
  readonly cwd: string;
  load(file: string | undefined): Config;
  /** Opens an engine bare: orders, prior, negation and calibration are put around it by the command. */
  open(request: EngineRequest): Promise<DecisionEngine>;
  readonly out: Terminal;
  readonly err: Terminal;
  readonly clock: Clock;
  /** Aborted by Ctrl-C: what there is by then is told. */
  readonly signal: AbortSignal;
}
