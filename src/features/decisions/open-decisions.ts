import { join } from 'node:path';
import { errorMessage } from '../../kernel/kit/errors.ts';
import type { Config } from '../../kernel/config.ts';
import type {
  DecisionEngine,
  EngineDeclaration,
  EngineOptions,
  OpenedEngine,
  OpeningReport,
} from './engine.ts';
import { decisionEngines } from './engines/index.ts';
import { withNamedSteps } from './open-steps.ts';
import { engineOfCalibration, readCalibration } from './evaluation/calibration-file.ts';
import type { MassWatch } from './deciders/mass-watch.ts';
import { openDeciders, type OperatorDeciders } from './deciders/open-deciders.ts';
import type { Log } from '../../kernel/kit/log.ts';
import { encoderSuits, shareEncoder } from '../models/feature.ts';
import type { OnnxModel, OpenEncoder, OpenLocal } from '../models/feature.ts';

interface Opening {
  readonly config: Config;
  readonly log: Log;
  readonly openLocal: OpenLocal;
  readonly openEncoder: OpenEncoder | null;
  readonly known: readonly EngineDeclaration[];
  /** See `EngineOptions`. */
  readonly listening?: Promise<void>;
  /** Called with the label mass of each question that the first engine evaluates, if it knows it. */
  readonly onLabelMass: (mass: number) => void;
  /** Compares the label masses of calibrated deciders with those of their fit. */
  readonly masses: Pick<MassWatch, 'begin'>;
}

/** Opens the engine with its steps. One that cannot work is logged and kept, and `/readyz` reports it. */
export function openDecisions(opening: Opening): Promise<DecisionEngine> {
  const { config } = opening;
  const { served } = config.decisions;
  return openDecider({ ...config.decisions, path: modelPathOf(config) }, 'decisions', served, opening);
}

/** Further deciders by the name under which they are asked. */
export interface ComparedDecisions {
  get(name: string): DecisionEngine | undefined;
  close(): Promise<void>;
}

/** Opens all of `decisions.compare`, or none. They have the steps of the first, but not its calibration, nor what it learned. */
export async function openCompared(opening: Opening): Promise<ComparedDecisions> {
  const engines = new Map<string, DecisionEngine>();
  const close = async () => {
    for (const engine of engines.values()) await engine.close();
  };
  try {
    for (const { name, ...decider } of opening.config.decisions.compare) {
      const place = `decisions.compare ${name}`;
      const own = { ...opening, onLabelMass: () => {} };
      const steps = { ...opening.config.decisions, ...decider, calibration: null, learned: null };
      engines.set(name, await openAt(place, openDecider(steps, place, [name], own)));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { get: (name) => engines.get(name), close };
}

/** Opens all of `decisions.deciders`, or none, beside those that are open already. */
export function openNamed(
  opening: Opening,
  first: DecisionEngine,
  compared: ComparedDecisions,
): Promise<OperatorDeciders> {
  const { served, compare, deciders } = opening.config.decisions;
  const others = compare.flatMap(({ name }) => {
    const engine = compared.get(name);
    return engine === undefined ? [] : [[name, engine] as const];
  });
  const known = new Map([...served.map((name) => [name, first] as const), ...others]);
  const own = { ...opening, onLabelMass: () => {} };
  return openDeciders(deciders, known, (decider, place) =>
    openAt(place, openDecider(decider, place, [decider.name], own)),
  );
}

/** Opens an engine that ships, without steps. */
export function openShipped({ config, openEncoder, known }: Opening, name: string): Promise<DecisionEngine> {
  const cacheFolder = join(config.dataFolder, 'cache');
  const bare = choiceOf(config, { engine: name, path: null, upstreams: [] });
  return openEngine({ ...bare, openEncoder, cacheFolder }, () => {}, known);
}

/** What fails says where. */
function openAt<Opened>(place: string, opening: Promise<Opened>): Promise<Opened> {
  return opening.catch((error: unknown) => {
    const reason = errorMessage(error);
    throw new Error(`${place}: ${reason}`, { cause: error });
  });
}

type OneDecider =
  'engine' | 'upstreams' | 'path' | 'order' | 'prior' | 'negation' | 'calibration' | 'learned';

async function openDecider(
  { calibration, learned, order, prior, negation, ...decider }: Pick<Config['decisions'], OneDecider>,
  place: string,
  names: readonly string[],
  { config, log, openLocal, openEncoder, known, listening, onLabelMass, masses }: Opening,
): Promise<DecisionEngine> {
  const choice = { ...choiceOf(config, decider), ...encoderFor(calibration, openEncoder), openLocal };
  const cacheFolder = join(config.dataFolder, 'cache');
  const behind = listening === undefined ? {} : { listening };
  let watch = (_mass: number): void => {};
  const onMass = (mass: number) => {
    onLabelMass(mass);
    watch(mass);
  };
  const opened = await openEngine({ ...choice, cacheFolder, ...behind }, onMass, known);
  const report = ({ problem, about }: OpeningReport) => {
    if (problem) log.error(`${place}: ${problem}`);
    else if (about !== undefined) log.info(`${place}: ${about}`);
  };
  report(opened);
  if (!opened.problem && opened.health() === 'down')
    log.warn(`${place}: the engine ${opened.name} is not reachable yet`);
  void opened.opened?.then(report);
  const engine = withNamedSteps(opened, { passes: order.passes, prior, negation, calibration, learned });
  const { labelMass } = calibration === null ? {} : readCalibration(calibration, opened.name);
  if (labelMass !== undefined) watch = masses.begin(names, labelMass);
  return engine;
}

/**
 * Temperatures that were fitted for words, before there was an encoder, keep `auto` at the words; those of the encoder are
 * no words' own, so that no words answer while it opens.
 */
function encoderFor(calibration: string | null, openEncoder: OpenEncoder | null) {
  const isForWords = calibration !== null && engineOfCalibration(calibration) === 'words';
  return { openEncoder: isForWords ? null : openEncoder, isCalibrated: calibration !== null };
}

/** The file of the decider, or that of a local provider, which can decide as well. */
function modelPathOf({ decisions, providers }: Config): string | null {
  const local = providers.find((provider) => provider.type === 'local');
  return decisions.path ?? local?.path ?? null;
}

/** The engine that `nestor eval` and `nestor calibrate` ask. */
export interface EngineRequest {
  readonly config: Config;
  /** One of `decisions.engine` in its place; null is the configured one. */
  readonly engine: string | null;
  /** A System One server to ask in place of an engine of this process. */
  readonly remote: { readonly url: string; readonly key: string | null; readonly model: string } | null;
  readonly onLabelMass: (mass: number) => void;
}

/** Opens an engine without steps. Throws Error when it cannot work. */
export async function openBareDecisions(request: EngineRequest): Promise<DecisionEngine> {
  const { config, engine, remote, onLabelMass } = request;
  const { upstreams, engine: configured } = config.decisions;
  const own = {
    engine: engine ?? configured,
    path: modelPathOf(config),
    upstreams,
  };
  const decider = remote === null ? own : { engine: 'systemone', path: null, upstreams: [remote] };
  const choice = encoderFor(config.decisions.calibration, encoderSuits() ? shareEncoder() : null);
  const opened = await openEngine({ ...choiceOf(config, decider), ...choice }, onLabelMass);
  const { problem } = (await opened.opened) ?? opened;
  if (problem) throw new Error(problem);
  return opened;
}

export async function findAdapter(model: OnnxModel): Promise<string | null> {
  const { adapters } = await import('./engines/onnx/adapters/index.ts');
  return adapters.find((one) => one.suits(model))?.name ?? null;
}

interface EngineChoice extends Omit<EngineOptions, 'onLabelMass' | 'isNamed' | 'isAuto'> {
  /** `auto` or the name of an engine. */
  readonly engine: string;
  /** Temperatures were fitted for it. */
  readonly isCalibrated?: boolean;
  /** Folder in which a model may lie, itself or in `models`. */
  readonly dataFolder: string;
}

function choiceOf(
  { decisions, dataFolder }: Config,
  { engine, path, upstreams }: Pick<EngineChoice, 'engine' | 'path' | 'upstreams'>,
): EngineChoice {
  const { gpu, threads, timeoutS } = decisions;
  return { engine, path, upstreams, gpu, threads, timeoutMs: timeoutS * 1_000, dataFolder };
}

/**
 * Opens the engine that was chosen. `auto` is the last of the known engines that suits. Each looks for its own model
 * where the configuration names none.
 */
export async function openEngine(
  { engine: name, dataFolder, isCalibrated = false, ...rest }: EngineChoice,
  onLabelMass: (mass: number) => void = () => {},
  known: readonly EngineDeclaration[] = decisionEngines,
): Promise<OpenedEngine> {
  for (const one of known.toReversed()) {
    if (name !== 'auto' && one.name !== name) continue;
    const path = rest.path ?? (await one.find?.(dataFolder)) ?? null;
    const isAuto = name === 'auto';
    const isNamed = rest.path !== null;
    const options = { ...rest, path, isNamed, isAuto: isAuto && !isCalibrated, onLabelMass };
    if (!isAuto || one.suits?.(options) === true) return one.open(options);
  }
  throw new Error(`no decision engine ${name}`);
}
