import { resolve } from 'node:path';
import type { Config } from '../../../kernel/config.ts';
import { UsageError } from '../../../kernel/commands/exit-codes.ts';
import { fingerprintOfStages } from '../deciders/guarantees.ts';
import type { Example } from '../evaluation/examples.ts';
import type { Answered } from '../guarantee/fit.ts';
import { toConfidences, type Confidences } from '../policy.ts';
import { askAll, type EvaluationContext, type Session, type Shared } from './eval-session.ts';

/** A decider of a cascade, and the configuration under which it is the first. */
interface Stage {
  readonly name: string;
  readonly own: Config;
  readonly confidence: Confidences;
}

export interface DeciderAnswers {
  /** Name of the decider, or of the engine where none was named. */
  readonly engine: string;
  readonly described: string;
  readonly fingerprint: Awaited<ReturnType<typeof askAll>>['fingerprint'];
  readonly stages: readonly Pick<Stage, 'name' | 'confidence'>[];
  readonly answers: readonly Answered[];
  /** Questions on which a decider failed; they are left out. */
  readonly failed: number;
  readonly complete: boolean;
}

/**
 * Asks every decider of a cascade everything, whatever those before it answered: which of it counts is what is to be found.
 * Without a name it is the configured engine that is asked. Throws UsageError.
 */
export async function askDecider(
  examples: readonly Example[],
  name: string | null,
  config: Config,
  shared: Shared,
  context: EvaluationContext,
): Promise<DeciderAnswers> {
  const stages = name === null ? [{ name: '', own: config, confidence: {} }] : stagesOf(config, name);
  const sessions: Session[] = [];
  for (const { name: stage, own } of stages) {
    if (stages.length > 1) context.err.write(`${stage}:\n`);
    const { calibration: configured } = own.decisions;
    const calibration =
      shared.remote === null && configured !== null ? resolve(context.cwd, configured) : null;
    const asking = { config: own, shared, extraPasses: false, calibration, isLearned: true };
    sessions.push(await askAll(examples, asking, context));
    if (context.signal.aborted) break;
  }
  const answers = joined(sessions);
  const described = sessions.map(({ engine, steps }) => `"${engine}" (${steps})`).join(', then ');
  return {
    engine: name ?? sessions[0]?.engine ?? '',
    described: name === null ? `Engine ${described}` : `Decider "${name}": ${described}`,
    fingerprint: fingerprintOfStages(
      sessions.map(({ fingerprint }, index) => ({
        fingerprint,
        confidence: stages[index]?.confidence ?? {},
      })),
    ),
    stages,
    answers,
    failed: examples.length - answers.length,
    complete: sessions.length === stages.length && sessions.every(({ run }) => run.complete),
  };
}

/** Questions that all answered. */
function joined(sessions: readonly Session[]): readonly Answered[] {
  const [first, ...others] = sessions.map(({ run }) => run.trials);
  const bySource = others.map((trials) => new Map(trials.map((trial) => [trial.source, trial])));
  return (first ?? []).flatMap((trial) => {
    const answers = [trial, ...bySource.flatMap((trials) => trials.get(trial.source) ?? [])];
    return answers.length === sessions.length
      ? [{ question: trial.question, right: trial.right, answers }]
      : [];
  });
}

function stagesOf(config: Config, name: string): readonly Stage[] {
  const found = config.decisions.deciders.find((one) => one.name === name);
  const asked =
    found === undefined || found.cascade.length === 0 ? [{ decider: name, confidence: 0 }] : found.cascade;
  return asked.map(({ decider, confidence }) => ({
    name: decider,
    own: configOf(config, decider),
    confidence: toConfidences(confidence),
  }));
}

/** The configuration in which a decider with an engine is the first, opened as a server opens it. Throws UsageError. */
function configOf(config: Config, name: string): Config {
  const { decisions } = config;
  if (decisions.served.includes(name)) return config;
  const named = decisions.deciders.find((one) => one.name === name);
  const compared = decisions.compare.find((one) => one.name === name);
  const engine = named?.engine ?? null;
  const own =
    engine === null ? compared && { ...compared, calibration: null, learned: null } : { ...named, engine };
  if (own === undefined) {
    const all = [...decisions.served, ...decisions.compare, ...decisions.deciders].map((one) =>
      typeof one === 'string' ? one : one.name,
    );
    throw new UsageError(`No decider is called "${name}": there are ${all.join(', ')}.`);
  }
  // The file of a provider is the first decider's, where that names none.
  return { ...config, decisions: { ...decisions, ...own }, providers: [] };
}
