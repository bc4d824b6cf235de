import type { NormalizedQuestion } from '../engine.ts';
import { kinds } from '../evaluation/report.ts';
import type { Guarantee, KeptCurve } from '../policy.ts';
import type { CoverageDiagram } from './coverage-svg.ts';
import type { Group, GuaranteeFit } from './fit.ts';
import { pointOf, type Count } from './threshold.ts';

/** Coverage against error of the fit, by kind, as a guarantee keeps it: questions with a threshold of their own have none. */
export const toKeptCurves = ({ groups }: GuaranteeFit): NonNullable<Guarantee['curves']> =>
  Object.fromEntries(
    groups.flatMap((group) => (group.question === null ? [[group.kind, toKeptCurve(group)] as const] : [])),
  );

function toKeptCurve({ curve, at, rows }: Group): KeptCurve {
  const toPair = ({ answered, errors }: Count) => [answered, errors] as const;
  // Of a cascade a part of the rows finds the order of the tests, and is not in the curve.
  const tested = curve[0]?.stages[0]?.asked ?? rows;
  return { rows: tested, points: curve.map(toPair), found: at === null ? null : toPair(at) };
}

export const kindsWithCurve = ({ curves }: Guarantee) => kinds.filter((kind) => curves?.[kind] !== undefined);

/** What is drawn of a guarantee that keeps its curve; null where it keeps none of this kind. */
export function toDiagram(
  { curves, thresholds, maxError, confidence }: Guarantee,
  kind: NormalizedQuestion['kind'],
  subject: string,
): CoverageDiagram | null {
  const kept = curves?.[kind];
  if (kept === undefined) return null;
  const { rows, points, found } = kept;
  const toPoint = ([answered, errors]: readonly [number, number]) =>
    pointOf({ answered, errors }, rows, confidence);
  const ofStages = [thresholds].flat().map(({ byKind }) => byKind[kind] ?? null);
  const at = found === null ? null : { ...toPoint(found), thresholds: ofStages };
  return {
    subject,
    group: { kind, rows, curve: points.map(toPoint), at },
    target: { maxError, confidence },
  };
}
