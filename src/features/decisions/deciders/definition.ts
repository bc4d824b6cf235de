import { Fault, invalidValue } from '../../../kernel/faults.ts';
import { quote } from '../../../kernel/kit/text.ts';
import { toEngineName } from '../../../kernel/engine-names.ts';
import type { Calibration } from '../calibration.ts';
import type { OrderPasses } from '../order.ts';
import type { Confidences, Guarantee } from '../policy.ts';
import { PROMPT_VERSION } from '../prompt.ts';

/** What an account says of a decider. */
export interface DeciderDefinition {
  /** One that ships; null with a cascade. */
  readonly engine: string | null;
  readonly passes: OrderPasses;
  readonly prior: boolean;
  readonly negation: boolean;
  readonly calibration: Calibration | null;
  readonly cascade: readonly {
    readonly decider: string;
    readonly confidence: Confidences;
  }[];
  readonly abstain: Confidences;
  readonly maxError: number | null;
  readonly guarantees: readonly Guarantee[];
}

export type Definitions = ReadonlyMap<string, DeciderDefinition>;

/** Whether an account may give a decider this name. No other name resolves where the interface is versioned by name. */
export const isDeciderName = (name: string): boolean =>
  /^[a-z][a-z0-9-]{0,31}$/.test(name) && !name.endsWith('-latest');

/** Most deciders of an account: all of them are looked at when one changes. */
const decidersMax = 100;

/** Throws Fault `invalid_value` for a definition that no other could make right. */
export function checkDefinition({ engine, cascade, calibration, ...steps }: DeciderDefinition): void {
  if ((engine === null) === (cascade.length === 0))
    throw invalidValue('A decider has either an engine or a cascade', 'engine');
  const hasSteps = steps.passes !== 1 || steps.prior || steps.negation || calibration !== null;
  if (engine === null && hasSteps)
    throw invalidValue('Steps and calibrations belong to deciders with an engine', 'cascade');
  if (calibration === null || engine === null) return;
  if (toEngineName(calibration.engine) !== engine)
    throw invalidValue(`The calibration was fitted for another engine than ${engine}`, 'calibration.engine');
  if (calibration.promptVersion !== PROMPT_VERSION)
    throw invalidValue(`The calibration was fitted for another prompt version`, 'calibration.promptVersion');
}

/**
 * Checks all deciders of an account together: each cascade asks deciders with an engine, its own or the operator's.
 * Throws Fault `invalid_value`, or `conflict` where there are too many.
 */
export function checkTogether(all: Definitions, isOperators: (name: string) => boolean): void {
  if (all.size > decidersMax)
    throw new Fault('conflict', `An account has ${decidersMax} deciders at most; delete one first`);
  for (const [name, { cascade }] of all) {
    for (const { decider } of cascade) {
      const isAsked = isOperators(decider) || (all.get(decider)?.engine ?? null) !== null;
      if (!isAsked)
        throw invalidValue(
          `The cascade of "${name}" asks "${quote(decider)}", which is no decider with an engine`,
          'cascade',
        );
    }
  }
}
