import type { Config } from '../../../kernel/config.ts';
import type { DecisionEngine } from '../engine.ts';
import { toConfidences, type Confidences } from '../policy.ts';
import { toDecider, type Decider, type Stage } from './decider.ts';
import { readGuarantees } from './guarantee-file.ts';

type Configured = Config['decisions']['deciders'][number];

/** Opens the engine of a decider of the configuration; `place` names it in errors. */
export type OpenConfigured = (
  decider: Configured & { readonly engine: string },
  place: string,
) => Promise<DecisionEngine>;

/** Deciders of the operator. */
export interface OperatorDeciders {
  readonly get: (name: string) => Decider | undefined;
  /** The engine of one, also of those beside them; undefined for a cascade. */
  readonly engineOf: (name: string) => DecisionEngine | undefined;
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
  let all = known;
  try {
    for (const decider of configured) {
      const { engine, name } = decider;
      if (engine !== null)
        engines.set(name, await open({ ...decider, engine }, `decisions.deciders ${name}`));
    }
    all = new Map([...known, ...engines]);
    for (const decider of configured) deciders.set(decider.name, toOperatorDecider(decider, all));
  } catch (error) {
    await close();
    throw error;
  }
  return { get: (name) => deciders.get(name), engineOf: (name) => all.get(name), close };
}

function toOperatorDecider(configured: Configured, engines: ReadonlyMap<string, DecisionEngine>): Decider {
  const { name, cascade, abstain, maxError, guarantees } = configured;
  const toStage = (decider: string, confidence: Confidences): Stage => {
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
