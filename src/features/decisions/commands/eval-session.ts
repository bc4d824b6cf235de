import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../../../kernel/config.ts';
import type { Calibration } from '../calibration.ts';
import type { DecisionEngine } from '../engine.ts';
import { withSteps, type Steps } from '../steps.ts';
import { readCalibration } from '../evaluation/calibration-file.ts';
import { toCases, type Example } from '../evaluation/examples.ts';
import { createProgress } from '../../../kernel/commands/progress.ts';
import { readExamples } from '../evaluation/read-examples.ts';
import { runCases, type Run } from '../evaluation/run.ts';
import { sample } from '../evaluation/sample.ts';
import type { SharedValues } from './eval-options.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import { ExampleError, UsageError } from '../../../kernel/commands/exit-codes.ts';

/** What `nestor eval` and `nestor calibrate` use of their context. */
export type EvaluationContext = Pick<
  CommandContext,
  'cwd' | 'load' | 'open' | 'out' | 'err' | 'clock' | 'signal'
>;

/** Reads, joins and draws examples. Says on the side what was left out. Throws ExampleError. */
export function loadExamples(
  files: readonly string[],
  { split, oos, sample: size, seed }: SharedValues,
  { cwd, err }: EvaluationContext,
): readonly Example[] {
  if (files.length === 0) throw new UsageError('A file of examples is missing.');
  const all = files.flatMap((file) => {
    const read = readExamples(readBytes(resolve(cwd, file), file), file, { split, outside: oos });
    if (read.refused > 0) {
      err.write(`${file}: ${read.refused} entries left out: neither yes/no nor one of their options\n`);
    }
    return read.examples;
  });
  if (all.length === 0) throw new ExampleError(`${files.join(', ')}: nothing in it can be asked`);
  return sample(all, size, seed);
}

export interface Session {
  readonly engine: string;
  /** What stands around the engine, in words. */
  readonly steps: string;
  readonly concurrency: number;
  readonly startedAt: string;
  readonly labelMasses: readonly number[];
  readonly run: Run;
}

export interface Asking {
  readonly config: Config;
  readonly values: SharedValues;
  /** Whether choices are asked reversed and nouls denied. */
  readonly extraPasses: boolean;
  /** Path of the calibration to apply; null for none. */
  readonly calibration: string | null;
}

/** Opens the engine, asks it everything and closes it. Throws ExampleError when nothing was answered. */
export async function askAll(
  examples: readonly Example[],
  { config, values, extraPasses, calibration }: Asking,
  context: EvaluationContext,
): Promise<Session> {
  const { clock, err, signal } = context;
  const cases = toCases(examples);
  const labelMasses: number[] = [];
  const startedAt = new Date(clock.now()).toISOString();
  const bare = await openBare(config, values, context, labelMasses);
  try {
    const known = calibration === null ? null : readCalibration(calibration, bare.name);
    const steps = toSteps(config, values, known);
    const concurrency = values.concurrency ?? (isRemote(bare) ? 8 : 1);
    const progress = createProgress(err, cases.length, clock);
    const run = await runCases(withSteps(bare, steps), cases, {
      concurrency,
      extraPasses,
      inputTokensMax: config.decisions.maxInputTokens,
      clock,
      signal,
      onProgress: (done, failed) => progress.update(done, failed),
    }).finally(() => progress.finish());
    if (run.trials.length === 0)
      throw new ExampleError(`nothing was answered: ${run.firstFailure ?? 'interrupted'}`);
    const words = toWords(steps, values);
    return { engine: bare.name, steps: words, concurrency, startedAt, labelMasses, run };
  } finally {
    await bare.close();
  }
}

function openBare(
  config: Config,
  { engine, remote }: SharedValues,
  context: EvaluationContext,
  labelMasses: number[],
): Promise<DecisionEngine> {
  return context.open({
    config,
    engine,
    remote: remote === null ? null : { ...remote, model: remote.model ?? config.decisions.served[0] ?? '' },
    onLabelMass: (mass) => labelMasses.push(mass),
  });
}

/** Engines that wait for a server gain from several questions at once; those in this process would only queue. */
function isRemote({ name }: DecisionEngine): boolean {
  return name === 'systemone' || name === 'logprobs';
}

/** A server that is named on the command line is judged as it is: the steps of this configuration are not its own. */
function toSteps({ decisions }: Config, { remote }: SharedValues, calibration: Calibration | null): Steps {
  if (remote !== null) return { passes: 1, prior: false, negation: false, calibration };
  const { order, prior, negation } = decisions;
  return { passes: order.passes, prior, negation, calibration };
}

function toWords({ passes, prior, negation, calibration }: Steps, { remote }: SharedValues): string {
  return [
    ...(remote === null ? [] : [`at ${URL.parse(remote.url)?.host ?? 'a server'}`]),
    passes === 1 ? 'order as given' : `order averaged over ${passes === 2 ? '2 passes' : 'rotations'}`,
    ...(prior ? ['prior taken off'] : []),
    ...(negation ? ['nouls asked both ways'] : []),
    calibration === null ? 'uncalibrated' : 'calibrated',
  ].join(', ');
}

function readBytes(path: string, name: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    throw new ExampleError(`${name}: cannot be read (${String(code)})`);
  }
}
