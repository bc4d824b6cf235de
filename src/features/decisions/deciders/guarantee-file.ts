import { readFileSync } from 'node:fs';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/schema';
import { ExampleError } from '../../../kernel/commands/exit-codes.ts';
import { toEngineName } from '../../../kernel/engine-names.ts';
import { Dictionary, named, orNull, Probability, Strict } from '../../../kernel/kit/schema.ts';
import type { Guarantee, Thresholds } from '../policy.ts';

const Threshold = orNull(Probability);
const Share = Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 });

const ThresholdsBody = named(
  'Thresholds',
  Strict({
    by_kind: Strict({
      noul: Type.Optional(Threshold),
      choice: Type.Optional(Threshold),
      score: Type.Optional(Threshold),
    }),
    by_question: Dictionary(Threshold),
  }),
);
type ThresholdsBody = Static<typeof ThresholdsBody>;

/** Answered, and wrong among them. */
type Pair = readonly [number, number];
const Pair = Type.Unsafe<Pair>(Type.Array(Type.Integer({ minimum: 0 }), { minItems: 2, maxItems: 2 }));
/** Thresholds that are tried of one decider are 105, and of a cascade no more than 40. */
const pointsMax = 200;
const CurveBody = named(
  'CoverageCurve',
  Strict(
    {
      rows: Type.Integer({ minimum: 1 }),
      points: Type.Unsafe<readonly Pair[]>(Type.Array(Pair, { maxItems: pointsMax })),
      found: orNull(Pair),
    },
    {
      rows: 'Rows of the fit.',
      points:
        'How many were answered at each threshold that was tried, and how many of them wrongly, from the strictest on.',
      found: 'The same at what was found; null where nothing keeps to the bound.',
    },
  ),
);

/** A guarantee as files and requests have it. */
export const GuaranteeBody = Strict(
  {
    max_error: Share,
    confidence: Share,
    engine: Type.String(),
    prompt_version: Type.Integer(),
    fingerprint: Type.Optional(Dictionary(Type.String())),
    thresholds: Type.Union([ThresholdsBody, Type.Array(ThresholdsBody, { minItems: 1 })]),
    curves: Type.Optional(
      Strict({
        noul: Type.Optional(CurveBody),
        choice: Type.Optional(CurveBody),
        score: Type.Optional(CurveBody),
      }),
    ),
  },
  {
    max_error: 'Bound on the share of wrong answers among those given.',
    confidence: 'Probability with which the bound holds.',
    engine: 'Engine or decider that gave the answers of the fit.',
    prompt_version: 'Version of what a model was asked with.',
    fingerprint:
      'What those answers depended on, part by part. Without it, or where a part has changed since, the guarantee holds for nothing.',
    thresholds:
      'Confidence from which an answer is given, by kind and by question; null where none is enough. Of a cascade a list, with one for each of its deciders in order: below it a question goes on to the next.',
    curves:
      'What the fit saw, by kind, of questions without a threshold of their own. It is drawn, and decides nothing.',
  },
);
export type GuaranteeBody = Static<typeof GuaranteeBody>;

/** A file of `nestor guarantee`: one bound or several. */
const GuaranteeFile = Type.Union([GuaranteeBody, Type.Array(GuaranteeBody)]);
const file = Compile(GuaranteeFile);

export function toGuarantee({
  max_error,
  prompt_version,
  thresholds,
  engine,
  ...rest
}: GuaranteeBody): Guarantee {
  return {
    ...rest,
    engine: toEngineName(engine),
    maxError: max_error,
    promptVersion: prompt_version,
    thresholds: Array.isArray(thresholds) ? thresholds.map(toThresholds) : toThresholds(thresholds),
  };
}

export function fromGuarantee({ maxError, promptVersion, thresholds, ...rest }: Guarantee): GuaranteeBody {
  return {
    ...rest,
    max_error: maxError,
    prompt_version: promptVersion,
    thresholds: isOfCascade(thresholds) ? thresholds.map(fromThresholds) : fromThresholds(thresholds),
  };
}

const isOfCascade = (thresholds: Guarantee['thresholds']): thresholds is readonly Thresholds[] =>
  Array.isArray(thresholds);

const toThresholds = ({ by_kind, by_question }: ThresholdsBody): Thresholds => ({
  byKind: by_kind,
  byQuestion: by_question,
});

const fromThresholds = ({ byKind, byQuestion }: Thresholds): ThresholdsBody => ({
  by_kind: byKind,
  by_question: byQuestion,
});

/** Throws ExampleError, one line that names the file. */
export function readGuarantees(path: string): readonly Guarantee[] {
  const refuse = (reason: string) => new ExampleError(`guarantee ${path}: ${reason}`);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw refuse(error instanceof SyntaxError ? 'not valid JSON' : 'cannot be read');
  }
  if (!file.Check(value)) throw refuse('not a file of "nestor guarantee"');
  return [value].flat().map(toGuarantee);
}
