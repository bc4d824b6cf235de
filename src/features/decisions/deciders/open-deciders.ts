import type { Config } from '../../../kernel/config.ts';
import type { DecisionEngine } from '../engine.ts';
import type { Thresholds } from '../policy.ts';
import { toDecider, type Decider, type Stage } from './decider.ts';
import { readGuarantees } from './guarantee-file.ts';

type Configured = Config['decisions']['deciders'][number];

/** Opens the engine of a decider of the configuration; `place` names it in errors. */
export type OpenConfigured = (
  decider: Configured & { readonly engine: string },
  place: string,
) => Promise<DecisionEngine>;

/** Deciders of the operator by the names under which they are asked. */
export interface OperatorDeciders {
  get(name: string): Decider | undefined;
  close(): Promise<void>;
}

/** Opens all of `decisions.deciders`, or none. `known` are deciders that their cascades may ask beside them. */
export async function openDeciders(
  configured: Config['decisions']['deciders'],
  known: ReadonlyMap<string, DecisionEngine>,
  open: OpenConfigured,
): Promise<OperatorDeciders> {
  const engines = new Map<string, DecisionEngine>();
  const close = async () => {
    for (const engine of engines.values()) await engine.close();
  };
  const deciders = new Map<string, Decider>();
  try {
    for (const decider of configured) {
      const { engine, name } = decider;
      if (engine === null) continue;
      engines.set(name, await open({ ...decider, engine }, `decisions.deciders ${name}`));
    }
    const all = new Map([...known, ...engines]);
    for (const decider of configured) deciders.set(decider.name, toOperatorDecider(decider, all));
  } catch (error) {
    await close();
    throw error;
  }
  return { get: (name) => deciders.get(name), close };
}

function toOperatorDecider(configured: Configured, engines: ReadonlyMap<string, DecisionEngine>): Decider {
  const { name, cascade, abstain, maxError, guarantees } = configured;
  const toStage = (decider: string, confidence: Thresholds['byKind']): Stage => {
    const engine = engines.get(decider);
    if (engine === undefined) throw new Error(`decisions.deciders ${name}: no decider ${decider}`);
    return { name: decider, engine, confidence };
  };
  const [first = toStage(name, {}), ...others] = cascade.map((stage) =>
    toStage(stage.decider, toConfidences(stage.confidence)),
  );
  const policy = { abstain: toConfidences(abstain), maxError };
  return toDecider(name, [first, ...others], guarantees.flatMap(readGuarantees), policy);
}

/** One number stands for every kind, and 0 or null for none. */
export function toConfidences(given: Configured['abstain']): Thresholds['byKind'] {
  const { noul, choice, score } =
    typeof given === 'number' ? { noul: given, choice: given, score: given } : given;
  return {
    ...(noul !== null && noul > 0 && { noul }),
    ...(choice !== null && choice > 0 && { choice }),
    ...(score !== null && score > 0 && { score }),
  };
}
