import { Fault } from '../../../kernel/faults.ts';
import type { Guarantee, Thresholds } from '../policy.ts';
import { PROMPT_VERSION } from '../prompt.ts';
import type { Decider } from './decider.ts';

const none: Thresholds = { byKind: {}, byQuestion: {} };

/**
 * Thresholds that keep the share of wrong answers under a bound; a bound of null needs none. Of the guarantees that were
 * fitted for a decider, the loosest that is as strict as asked. Throws Fault `invalid_value` where there is none.
 */
export function thresholdsFor(
  { name, stages, guarantees }: Decider,
  maxError: number | null,
  param: string,
): Thresholds {
  if (maxError === null) return none;
  const [{ engine }, ...others] = stages;
  const names = others.length === 0 ? [name, engine.name] : [name];
  const fits = ({ engine: fitted, promptVersion }: Guarantee) =>
    names.includes(fitted) && promptVersion === PROMPT_VERSION;
  const fitted = guarantees.filter(fits);
  const [best] = fitted
    .filter((one) => one.maxError <= maxError)
    .toSorted((one, other) => other.maxError - one.maxError);
  if (best !== undefined) return onlyKnown(best.thresholds);
  const known = fitted.map((one) => one.maxError).toSorted((one, other) => one - other);
  const rest =
    known.length === 0
      ? 'no guarantee was fitted for it; fit one with "nestor guarantee"'
      : `its guarantees are for ${known.join(', ')}`;
  throw new Fault('invalid_value', `${name} cannot promise an error of ${maxError}: ${rest}`, { param });
}

/** Kinds and questions of which a guarantee says nothing are never answered under it. */
function onlyKnown({ byKind, byQuestion }: Thresholds): Thresholds {
  return { byKind: { noul: null, choice: null, score: null, ...byKind }, byQuestion };
}
