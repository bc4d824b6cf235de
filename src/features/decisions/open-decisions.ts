import type { Config } from '../../kernel/config.ts';
import type { DecisionEngine } from './engine.ts';
import type { EngineDeclaration } from './define-engine.ts';
import { decisionEngines } from './engines/index.ts';
import { openEngine } from './open-engine.ts';
import { withSteps } from './steps.ts';
import { readCalibration } from './evaluation/calibration-file.ts';
import type { Log } from '../../kernel/kit/log.ts';
import type { OpenLocal } from '../models/feature.ts';

/** The engine to open. */
export interface EngineRequest {
  readonly config: Config;
  /** One of `decisions.engine` in its place; null is the configured one. */
  readonly engine: string | null;
  /** A System One server to ask in place of an engine of this process. */
  readonly remote: Remote | null;
  /** Called with the label mass of each question that the engine evaluates, if it knows it. */
  readonly onLabelMass: (mass: number) => void;
}

export interface Remote {
  readonly url: string;
  readonly key: string | null;
  readonly model: string;
}

/** Opens the engine with its steps. One that cannot work is logged and kept, and `/readyz` reports it. */
export async function openDecisions(
  config: Config,
  log: Log,
  onLabelMass: (mass: number) => void,
  openLocal: OpenLocal,
  known: readonly EngineDeclaration[],
): Promise<DecisionEngine> {
  const { engine, gpu, upstreams, timeoutS, order, prior, negation, calibration } = config.decisions;
  const choice = {
    engine,
    path: modelPathOf(config),
    gpu,
    openLocal,
    upstreams,
    timeoutMs: timeoutS * 1_000,
    dataFolder: config.dataFolder,
  };
  const opened = await openEngine(choice, onLabelMass, known);
  if (opened.problem) log.error(`decisions: ${opened.problem}`);
  else if (opened.health() === 'down') log.warn(`decisions: the engine ${opened.name} is not reachable yet`);
  const fitted = calibration === null ? null : readCalibration(calibration, opened.name);
  return withSteps(opened, { passes: order.passes, prior, negation, calibration: fitted });
}

/** Further deciders by the name under which they are asked. */
export interface ComparedDecisions {
  get(name: string): DecisionEngine | undefined;
  close(): Promise<void>;
}

/** Opens all of `decisions.compare`, or none. They have the steps of the first, but no calibration, which is of one engine. */
export async function openCompared(
  config: Config,
  log: Log,
  openLocal: OpenLocal,
  known: readonly EngineDeclaration[],
): Promise<ComparedDecisions> {
  const { gpu, timeoutS, order, prior, negation, compare } = config.decisions;
  const common = { gpu, openLocal, timeoutMs: timeoutS * 1_000, dataFolder: config.dataFolder };
  const engines = new Map<string, DecisionEngine>();
  const close = async () => {
    for (const engine of engines.values()) await engine.close();
  };
  try {
    for (const { name, engine, upstreams, path } of compare) {
      const choice = { ...common, engine, upstreams, path };
      const opened = await openEngine(choice, () => {}, known).catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`decisions.compare ${name}: ${reason}`, { cause: error });
      });
      if (opened.problem) log.error(`decisions.compare ${name}: ${opened.problem}`);
      else if (opened.health() === 'down')
        log.warn(`decisions.compare ${name}: the engine ${opened.name} is not reachable yet`);
      const steps = { passes: order.passes, prior, negation, calibration: null };
      engines.set(name, withSteps(opened, steps));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { get: (name) => engines.get(name), close };
}

/** The file of the decider, or that of a local provider, which can decide as well. */
function modelPathOf({ decisions, providers }: Config): string | null {
  const local = providers.find((provider) => provider.type === 'local');
  return decisions.path ?? local?.path ?? null;
}

/** An engine without steps, for `nestor eval` and `nestor calibrate`. A remote one is any server of System One. */
export async function openBareDecisions(request: EngineRequest): Promise<DecisionEngine> {
  const { config, engine, remote, onLabelMass } = request;
  const { gpu, upstreams, timeoutS } = config.decisions;
  const path = modelPathOf(config);
  const common = { gpu, timeoutMs: timeoutS * 1_000, dataFolder: config.dataFolder };
  const named = decisionEngines.find(({ name }) => name === engine)?.name ?? config.decisions.engine;
  const choice =
    remote === null
      ? { ...common, engine: named, path, upstreams }
      : { ...common, engine: 'systemone', path: null, upstreams: [remote] };
  const opened = await openEngine(choice, onLabelMass);
  if (opened.problem) throw new Error(opened.problem);
  return opened;
}
