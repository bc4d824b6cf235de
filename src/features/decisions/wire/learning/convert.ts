import { parseExact } from '../../../../kernel/kit/json-exact.ts';
import type { Bound, FitReport, QuestionReport } from '../../learning/fit-decider.ts';
import type { ExampleRow } from '../../store/examples.ts';
import type { FitRow } from '../../store/fits.ts';
import { toInstant, toInstantOrNull } from '../instant.ts';
import type { ExampleBody, FitBody } from './schema.ts';

export function fromExample({ id, example, createdAtMs }: ExampleRow): ExampleBody {
  // Written by `DeciderExamples` alone.
  const known = parseExact(example) as unknown as Pick<ExampleBody, 'state' | 'question' | 'answer'>;
  return { id, ...known, created_at: toInstant(createdAtMs) };
}

/** `current` is the id of the fit in use. */
export function fromFit(
  { id, decider, state, report, error, createdAtMs, endedAtMs }: FitRow,
  current: string | null,
): FitBody {
  return {
    id,
    decider,
    state,
    in_use: id === current,
    created_at: toInstant(createdAtMs),
    ended_at: toInstantOrNull(endedAtMs),
    error,
    report: report === null ? null : fromReport(JSON.parse(report) as FitReport),
  };
}

function fromReport({ examples, questions }: FitReport): FitBody['report'] {
  return { examples, questions: questions.map(fromQuestion) };
}

function fromQuestion({ figures, byLabel, reliability, bound, ...rest }: QuestionReport) {
  return {
    ...rest,
    before: figures?.before ?? null,
    after: figures?.after ?? null,
    held_out: figures?.heldOut ?? null,
    labels: byLabel ? [...byLabel.labels] : null,
    confused: byLabel ? [...byLabel.confused] : null,
    reliability: reliability ? [...reliability] : null,
    bound: bound ? fromBound(bound) : null,
  };
}

const fromBound = ({ maxError, confidence, threshold, needed, answered, errors }: Bound) => ({
  max_error: maxError,
  confidence,
  threshold,
  examples_needed: needed,
  answered,
  wrong: errors,
});
