import { Type, type Static } from 'typebox';
import { Calibration } from '../../calibration.ts';
import { GuaranteeBody } from '../../deciders/guarantee-file.ts';
import {
  Count,
  Literals,
  named,
  Nullable,
  orNull,
  Probability,
  Strict,
} from '../../../../kernel/kit/schema.ts';
import { Instant } from '../instant.ts';

const cascadeMax = 8;
const guaranteesMax = 32;

const confidenceMessage = {
  errorMessage: 'A confidence must be a number from 0 to 1, or such numbers by kind',
};

const ByKind = {
  noul: Nullable(Probability, confidenceMessage),
  choice: Nullable(Probability, confidenceMessage),
  score: Nullable(Probability, confidenceMessage),
};
const Confidences = Type.Optional(Type.Union([Probability, Strict(ByKind)], confidenceMessage));

const meanings = {
  engine: 'An engine that ships with Nestor; absent or null with a cascade.',
  passes: 'Orders of the options that are averaged: 1, 2 or `n`. 1 by default.',
  prior: 'Divide each answer by what the engine answers to a state that says nothing.',
  negation: 'Ask every noul as it stands and denied, and join the two answers.',
  calibration: 'What `nestor calibrate` wrote for this engine.',
  cascade:
    'Deciders with an engine that are asked in order. What is below `confidence` goes on to the next; the last answers all that is left.',
  abstain: 'Confidence below which an answer is marked as abstained: a number, or one by kind.',
  max_error: 'Highest share of wrong answers among those that are given; it needs a guarantee.',
  guarantees: 'What was fitted for this decider.',
};

/** A decider as an account defines it. */
export function Definition(engines: readonly string[]) {
  const errorMessage = `engine must be ${engines.join(' or ')}`;
  const stage = Strict({ decider: Type.String({ minLength: 1 }), confidence: Confidences });
  return Strict(
    {
      engine: Nullable(Literals(engines, { errorMessage }), { errorMessage }),
      passes: Type.Optional(Type.Enum([1, 2, 'n'], { errorMessage: 'passes must be 1, 2 or "n"' })),
      prior: Type.Optional(Type.Boolean()),
      negation: Type.Optional(Type.Boolean()),
      calibration: Nullable(Calibration, {
        errorMessage: 'calibration must be what "nestor calibrate" wrote',
      }),
      cascade: Type.Optional(
        Type.Array(stage, {
          maxItems: cascadeMax,
          errorMessage: `cascade must be an array of at most ${cascadeMax} deciders`,
        }),
      ),
      abstain: Confidences,
      max_error: Nullable(Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }), {
        errorMessage: 'max_error must be a number between 0 and 1',
      }),
      guarantees: Type.Optional(
        Type.Array(GuaranteeBody, {
          maxItems: guaranteesMax,
          errorMessage: `guarantees must be an array of at most ${guaranteesMax}`,
        }),
      ),
    },
    meanings,
  );
}
export type Definition = Static<ReturnType<typeof Definition>>;

const Confidence = Strict({
  noul: Type.Optional(Probability),
  choice: Type.Optional(Probability),
  score: Type.Optional(Probability),
});

/** A definition with everything that was left out. */
const FullDefinition = Strict(
  {
    engine: orNull(Type.String()),
    passes: Type.Enum([1, 2, 'n']),
    prior: Type.Boolean(),
    negation: Type.Boolean(),
    calibration: orNull(Calibration),
    cascade: Type.Array(Strict({ decider: Type.String(), confidence: Confidence })),
    abstain: Confidence,
    max_error: orNull(Type.Number()),
    guarantees: Type.Array(GuaranteeBody),
  },
  { ...meanings, engine: 'What answers; null with a cascade.' },
);
export type FullDefinition = Static<typeof FullDefinition>;

const Difference = Strict(
  { psi: Type.Number(), psi_by_chance: Type.Number(), z: Type.Number() },
  {
    psi: 'Population stability index.',
    psi_by_chance: 'What it would be in the mean if nothing had changed.',
    z: 'How unlikely this is by chance, as a normal deviate: 4 is one in 30,000.',
  },
);

const DriftBody = Type.Array(
  Strict(
    {
      question: Type.String(),
      answers: Count,
      baseline: Count,
      choices: Difference,
      confidence: Difference,
      drifted: Type.Boolean(),
      since: orNull(Instant),
    },
    {
      question: 'Key of the question, as in the report of its fit.',
      answers: 'Answers that are looked at: the last 500 to 1,000.',
      baseline: 'Examples that they are compared with, each answered by what the others taught.',
      choices: 'How far the answers lie from those.',
      confidence: 'The same of how sure they are.',
      drifted: 'From `z` 4 and a `psi` of 0.1 above chance on, until neither is above 2.5 and 0.05.',
    },
  ),
);
export type DriftBody = Static<typeof DriftBody>;

const LabelMassBody = Strict(
  {
    evaluations: Count,
    baseline: Count,
    difference: Difference,
    drifted: Type.Boolean(),
    since: orNull(Instant),
  },
  {
    evaluations: 'What is looked at: the last 500 to 1,000 evaluations of this process.',
    baseline: 'Evaluations of the calibration, with which they are compared.',
    difference: "How far the model's share on the options lies from what it was.",
    drifted:
      'From 200 evaluations, `z` 4 and a `psi` of 0.1 above chance on, until neither is above 2.5 and 0.05.',
  },
);
export type LabelMassBody = Static<typeof LabelMassBody>;

export const DeciderBody = named(
  'Decider',
  Strict(
    {
      name: Type.String(),
      owner: Type.Union([Type.Literal('account'), Type.Literal('operator')]),
      definition: FullDefinition,
      fit: orNull(Type.String()),
      drift: Type.Optional(DriftBody),
      label_mass: Type.Optional(LabelMassBody),
      created_at: orNull(Instant),
      updated_at: orNull(Instant),
    },
    {
      name: 'Requests send it as `model`.',
      owner: 'Those of the operator are for all accounts, and stand in the configuration.',
      fit: 'The fit in use, for one that learned from examples.',
      drift:
        'Whether questions that it learned are still answered as in the fit. Only where one decider is asked for that has learned.',
      label_mass:
        'Whether the model behind a decider of the operator still puts as much on the options as when it was calibrated. Only where its engine is `local` or `logprobs`.',
      created_at: 'Null for those of the operator, as is `updated_at`.',
    },
  ),
);
export type DeciderBody = Static<typeof DeciderBody>;

export const DeciderList = Strict({ deciders: Type.Array(DeciderBody) });

/** Which of a decider's curves is drawn. */
export const CoverageQuery = Type.Object({
  kind: Type.Optional(
    Type.Enum(['noul', 'choice', 'score'], { description: 'The first that has a curve by default.' }),
  ),
  guarantee: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: guaranteesMax - 1,
      description: 'Its place among `guarantees`; 0, the first, by default.',
    }),
  ),
});

export const InDecider = Type.Object({ decider: Type.String() });
