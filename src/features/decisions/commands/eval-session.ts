import { resolve } from 'node:path';
import type { Config } from '../../../kernel/config.ts';
import { fingerprintOf, type DecisionEngine } from '../engine.ts';
import { decisionEngines } from '../engines/index.ts';
import { withNamedSteps, type NamedSteps } from '../open-steps.ts';
import { toCases, type Example } from '../evaluation/examples.ts';
import { toWhole, texts } from '../../../kernel/commands/command-line.ts';
import { createProgress } from '../../../kernel/commands/progress.ts';
import { configOption, type OwnLine } from '../../../kernel/commands/run-command.ts';
import { processMeter, type Meter } from '../evaluation/compare.ts';
import { readExamples } from '../evaluation/read-examples.ts';
import { runCases } from '../evaluation/run.ts';
import { sample } from '../evaluation/sample.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import { ExampleError, readNamedFile, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { toEngineName } from '../../../kernel/engine-names.ts';

export type EvaluationContext = Pick<
  CommandContext,
  'cwd' | 'load' | 'open' | 'out' | 'err' | 'clock' | 'signal'
>;

/** Options of every command that asks an engine about a file of examples. */
export const sharedOptions = {
  ...configOption,
  ...texts('engine', 'url', 'key', 'model', 'sample', 'seed', 'concurrency'),
  split: { type: 'string', default: 'test' },
  oos: { type: 'boolean', default: false },
} as const;

export const sharedUsage = `  --json                print one JSON value in place of words and tables
  --config FILE         configuration to read in place of NESTOR_CONFIG
  --engine NAME         engine to ask; otherwise the configured one
  --url BASE            ask a server that speaks System One; with --key KEY and --model NAME
  --sample N            only N questions, drawn by --seed S (default 1)
  --split NAME          part of a CLINC150 file: test (default), val or train
  --oos                 also ask texts of CLINC150 that fit no intent, with an option for them
  --concurrency N       questions under way at once (default 1; 8 for servers)`;

export type Shared = ReturnType<typeof toShared>;

/** Throws UsageError. */
export function toShared(values: OwnLine<typeof sharedOptions>['values']) {
  const { url, key = null, model = null, engine = null, split, oos } = values;
  if (url === undefined && (key ?? model) !== null)
    throw new UsageError('--key and --model belong to --url.');
  if (url !== undefined && engine !== null) throw new UsageError('--url and --engine exclude each other.');
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new UsageError('--url must be an http or https address.');
  }
  return {
    engine: engine === null ? null : toKnown(engine),
    remote: url === undefined ? null : { url, key, model },
    size: toWhole('--sample', values.sample) ?? Infinity,
    seed: toWhole('--seed', values.seed, 0) ?? 1,
    split,
    outside: oos,
    concurrency: toWhole('--concurrency', values.concurrency),
  };
}

function toKnown(name: string): string {
  const [engine, known] = [toEngineName(name), decisionEngines.map((one) => one.name)];
  if (known.includes(engine)) return engine;
  throw new UsageError(`No engine is called "${name}": there are ${known.join(', ')}.`);
}

/** Reads, joins and draws examples. Reports on the side how many were left out. Throws ExampleError. */
export function loadExamples(
  files: readonly string[],
  { size, seed, ...options }: Shared,
  { cwd, err }: EvaluationContext,
): readonly Example[] {
  if (files.length === 0) throw new UsageError('A file of examples is missing.');
  const all = files.flatMap((file) => {
    const read = readExamples(readNamedFile(resolve(cwd, file), file), file, options);
    if (read.refused > 0) {
      err.write(`${file}: ${read.refused} entries left out: neither yes/no nor one of their options\n`);
    }
    return read.examples;
  });
  if (all.length === 0) throw new ExampleError(`${files.join(', ')}: nothing in it can be asked`);
  return sample(all, size, seed);
}

export type Session = Awaited<ReturnType<typeof askAll>>;

interface Asking {
  readonly config: Config;
  readonly shared: Shared;
  /** Whether choices are asked reversed and nouls denied. */
  readonly extraPasses: boolean;
  /** Path of the calibration to apply; null for none. */
  readonly calibration: string | null;
  /** Whether what was learned answers; a temperature is fitted on what it is applied to, which that is not. */
  readonly isLearned: boolean;
  readonly meter?: Meter;
}

/** Opens the engine, asks it everything and closes it. Throws ExampleError when nothing was answered. */
export async function askAll(
  examples: readonly Example[],
  asking: Asking,
  { clock, err, signal, open, cwd }: EvaluationContext,
) {
  const { config, shared, extraPasses, meter = processMeter } = asking;
  const cases = toCases(examples);
  const labelMasses: number[] = [];
  const startedAt = new Date(clock.now()).toISOString();
  const { remote } = shared;
  const { maxInputTokens: inputTokensMax, served } = config.decisions;
  const grownFrom = meter.memoryBytes();
  const bare = await open({
    config,
    engine: shared.engine,
    remote: remote === null ? null : { ...remote, model: remote.model ?? served[0] ?? '' },
    onLabelMass: (mass) => labelMasses.push(mass),
  });
  try {
    const steps = toSteps(asking, bare, cwd);
    const engine = withNamedSteps(bare, steps);
    // Engines that wait for a server gain from several questions at once; those in this process would only queue.
    const concurrency = shared.concurrency ?? (['systemone', 'logprobs'].includes(bare.name) ? 8 : 1);
    const cpuFrom = meter.cpuMs();
    const progress = createProgress(err, cases.length, clock);
    const run = await runCases(engine, cases, {
      concurrency,
      extraPasses,
      inputTokensMax,
      clock,
      signal,
      onProgress: (done, failed) => progress.update(done, failed),
    }).finally(() => progress.finish());
    if (run.trials.length === 0)
      throw new ExampleError(`nothing was answered: ${run.firstFailure ?? 'interrupted'}`);
    const usage = {
      cpuMs: meter.cpuMs() - cpuFrom,
      memoryBytes: Math.max(0, meter.memoryBytes() - grownFrom),
    };
    const described = describeSteps(steps, shared);
    const fingerprint = await fingerprintOf(engine);
    return {
      engine: bare.name,
      fingerprint,
      steps: described,
      concurrency,
      startedAt,
      labelMasses,
      run,
      usage,
    };
  } finally {
    await bare.close();
  }
}

/** A server that is named on the command line is judged as it is: the steps of this configuration are not its own. */
function toSteps(
  { config, shared, calibration, isLearned }: Asking,
  bare: DecisionEngine,
  cwd: string,
): NamedSteps {
  if (shared.remote !== null) return { passes: 1, prior: false, negation: false, calibration, learned: null };
  const { order, prior, negation, learned: path } = config.decisions;
  // What was learned is for the configured engine; one without vectors that is asked in its place answers without it.
  const isAsked = isLearned && (shared.engine === null || bare.features !== undefined);
  const learned = isAsked && path !== null ? resolve(cwd, path) : null;
  return { passes: order.passes, prior, negation, calibration, learned };
}

function describeSteps(
  { passes, prior, negation, calibration, learned }: NamedSteps,
  { remote }: Shared,
): string {
  return [
    ...(remote === null ? [] : [`at ${URL.parse(remote.url)?.host ?? 'a server'}`]),
    passes === 1 ? 'order as given' : `order averaged over ${passes === 2 ? '2 passes' : 'rotations'}`,
    ...(prior ? ['prior taken off'] : []),
    ...(negation ? ['nouls asked both ways'] : []),
    calibration === null ? 'uncalibrated' : 'calibrated',
    ...(learned === null ? [] : ['with what was learned']),
  ].join(', ');
}
