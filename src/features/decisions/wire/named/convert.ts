import type { DeciderDefinition } from '../../deciders/definition.ts';
import { fromGuarantee, toGuarantee } from '../../deciders/guarantee-file.ts';
import type { MassFigures } from '../../deciders/mass-watch.ts';
import type { DeciderRecord } from '../../deciders/stored-deciders.ts';
import { compareAnswers, type Difference, type Watched } from '../../learning/drift.ts';
import { toConfidences } from '../../policy.ts';
import { toInstant, toInstantOrNull } from '../instant.ts';
import type { DeciderBody, Definition, DriftBody, FullDefinition, LabelMassBody } from './schema.ts';

export function toDefinition(body: Definition): DeciderDefinition {
  const { engine = null, passes = 1, prior = false, negation = false, calibration = null } = body;
  return {
    engine,
    passes,
    prior,
    negation,
    calibration,
    cascade: (body.cascade ?? []).map(({ decider, confidence }) => ({
      decider,
      confidence: toConfidences(confidence ?? 0),
    })),
    abstain: toConfidences(body.abstain ?? 0),
    maxError: body.max_error ?? null,
    guarantees: (body.guarantees ?? []).map(toGuarantee),
  };
}

function fromDefinition({ maxError, guarantees, ...rest }: DeciderDefinition): FullDefinition {
  return {
    ...rest,
    cascade: [...rest.cascade],
    max_error: maxError,
    guarantees: guarantees.map(fromGuarantee),
  };
}

export function fromRecord({
  name,
  definition,
  fitId,
  createdAtMs,
  updatedAtMs,
}: DeciderRecord): DeciderBody {
  return {
    name,
    owner: 'account',
    definition: fromDefinition(definition),
    fit: fitId,
    created_at: toInstant(createdAtMs),
    updated_at: toInstant(updatedAtMs),
  };
}

export function fromDrift(known: Readonly<Record<string, Watched>>): DriftBody {
  return Object.entries(known).map(([question, watched]) => {
    const { choices, confidence, ...counts } = compareAnswers(watched);
    return {
      question,
      ...counts,
      choices: fromDifference(choices),
      confidence: fromDifference(confidence),
      ...fromSince(watched.sinceMs),
    };
  });
}

const fromSince = (sinceMs: number | null) => ({
  drifted: sinceMs !== null,
  since: toInstantOrNull(sinceMs),
});

function fromMasses({ difference, sinceMs, ...counts }: MassFigures): LabelMassBody {
  return { ...counts, difference: fromDifference(difference), ...fromSince(sinceMs) };
}

function fromDifference({ psi, psiByChance, z }: Difference): DriftBody[number]['choices'] {
  return { psi, psi_by_chance: psiByChance, z };
}

/** What the configuration says, without its servers and files. */
export function fromOperators(
  name: string,
  definition: DeciderDefinition,
  masses: MassFigures | null,
): DeciderBody {
  return {
    name,
    owner: 'operator',
    definition: fromDefinition(definition),
    fit: null,
    ...(masses !== null && { label_mass: fromMasses(masses) }),
    created_at: null,
    updated_at: null,
  };
}
