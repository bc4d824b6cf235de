import { Fault } from '../../../kernel/faults.ts';
import { fingerprintOf } from '../engine.ts';
import { changesIn, type Fingerprint } from '../fingerprint.ts';
import type { Confidences, Guarantee, Thresholds } from '../policy.ts';
import { PROMPT_VERSION } from '../prompt.ts';
import type { Decider } from './decider.ts';

/** Thresholds of the deciders of a cascade, in their order; empty where no bound is asked for. */
export type Promised = readonly Thresholds[];

/** What the answers of a decider depend on. */
export async function fingerprintOfDecider({ stages }: Pick<Decider, 'stages'>): Promise<Fingerprint> {
  const parts = stages.map(async ({ engine, confidence }) => ({
    fingerprint: await fingerprintOf(engine),
    confidence,
  }));
  return fingerprintOfStages(await Promise.all(parts));
}

/** Of a cascade, each engine and the confidence from which it answers. */
export function fingerprintOfStages(
  stages: readonly { readonly fingerprint: Fingerprint; readonly confidence: Confidences }[],
): Fingerprint {
  const [first, ...others] = stages;
  if (others.length === 0) return first?.fingerprint ?? {};
  const parts = stages.flatMap(({ fingerprint, confidence: { noul = 0, choice = 0, score = 0 } }, index) =>
    Object.entries({ ...fingerprint, confidence: [noul, choice, score].join(' ') }).map(
      ([name, value]) => [`${name} of stage ${index + 1}`, value] as const,
    ),
  );
  return Object.fromEntries(parts);
}

/**
 * Thresholds that keep the share of wrong answers under a bound; a bound of null needs none. Of the guarantees that were
 * fitted on what answers now, the loosest that is as strict as asked. Throws Fault `invalid_value` where there is none.
 */
export async function thresholdsFor(
  decider: Decider,
  maxError: number | null,
  param: string,
): Promise<Promised> {
  if (maxError === null) return [];
  const now = await fingerprintOfDecider(decider);
  const judged = decider.guarantees.map((guarantee) => ({ guarantee, reason: whyNot(guarantee, now) }));
  const fitted = judged.flatMap(({ guarantee, reason }) => (reason === null ? [guarantee] : []));
  const [best] = fitted
    .filter((one) => one.maxError <= maxError)
    .toSorted((one, other) => other.maxError - one.maxError);
  if (best !== undefined) return promisedBy(best, decider);
  const known = fitted.map((one) => one.maxError).toSorted((one, other) => one - other);
  const [reason = 'no guarantee was fitted for it; fit one with "nestor guarantee"'] =
    known.length > 0
      ? [`its guarantees are for ${known.join(', ')}`]
      : judged.flatMap((one) => one.reason ?? []);
  throw new Fault('invalid_value', `${decider.name} cannot promise an error of ${maxError}: ${reason}`, {
    param,
  });
}

/** Why a guarantee does not hold for what answers now; null where it does. Values are the operator's, names are not. */
function whyNot({ maxError, promptVersion, fingerprint }: Guarantee, now: Fingerprint): string | null {
  const again = 'fit it again with "nestor guarantee"';
  if (fingerprint === undefined)
    return `its guarantee for ${maxError} does not say what it was fitted on; ${again}`;
  const changes = [
    ...changesIn(fingerprint, now),
    ...(promptVersion === PROMPT_VERSION ? [] : ['prompt version']),
  ];
  if (changes.length === 0) return null;
  return `since its guarantee for ${maxError} was fitted, this has changed: ${changes.join(', ')}; ${again}`;
}

/** Thresholds that were written down once stand for every decider of a cascade. */
function promisedBy({ thresholds }: Guarantee, { stages }: Decider): Promised {
  const known = [thresholds].flat().map(onlyKnown);
  return stages.map((_, index) => known[known.length === 1 ? 0 : index] ?? nothing);
}

const nothing: Thresholds = { byKind: { noul: null, choice: null, score: null }, byQuestion: {} };

/** Kinds and questions of which a guarantee says nothing are never answered under it. */
function onlyKnown({ byKind, byQuestion }: Thresholds): Thresholds {
  return { byKind: { ...nothing.byKind, ...byKind }, byQuestion };
}
