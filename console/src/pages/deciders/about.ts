import { formatCount, formatProbability, formatTime } from '../../parts/formats.ts';
import type { Confidences, Definition, Difference, Fit, LabelFigures, LabelMass } from './wire.ts';

/** What answers, in a line: `encoder, 2 orders` or `quick, then large below 0.9`. */
export function aboutAnswering({
  engine,
  cascade,
  passes,
  prior,
  negation,
  calibration,
}: Definition): string {
  const [first, ...rest] = cascade;
  if (first !== undefined) {
    const steps = rest.map(
      ({ decider }, at) => `then ${decider}${belowOf((cascade[at] ?? first).confidence)}`,
    );
    return [first.decider, ...steps].join(', ');
  }
  const steps = [
    ...(passes === 1 ? [] : [passes === 'n' ? 'all orders' : `${passes} orders`]),
    ...(prior ? ['prior'] : []),
    ...(negation ? ['negation'] : []),
    ...(calibration === null ? [] : ['calibrated']),
  ];
  return [engine ?? 'not told', ...steps].join(', ');
}

/** What happens to answers that are not sure; empty where nothing does. */
export function aboutPolicy({ abstain, max_error: maxError }: Definition): string {
  const below = belowOf(abstain);
  return [
    ...(below === '' ? [] : [`abstains${below}`]),
    ...(maxError === null ? [] : [`at most ${formatPercent(maxError)} wrong`]),
  ].join(', ');
}

/** ` below 0.9`, or ` below 0.9 (noul), 0.7 (choice)`; empty where every answer is sure enough. */
function belowOf(confidence: Confidences): string {
  const given = Object.entries(confidence).filter(([, least]) => least > 0);
  const [first] = given;
  if (first === undefined) return '';
  const isOne = given.length === 3 && given.every(([, least]) => least === first[1]);
  return ` below ${isOne ? String(first[1]) : given.map(([kind, least]) => `${least} (${kind})`).join(', ')}`;
}

/** 0.847 as "84.7 %". */
export function formatPercent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}

export const fitStates: Readonly<Record<Fit['state'], string>> = {
  running: 'Running',
  taken: 'Taken',
  not_better: 'Not taken: nothing was surely better',
  failed: 'Failed',
  cancelled: 'Cancelled',
  rolled_back: 'Rolled back',
};

/** "0.626 → 0.847"; a figure that is not there is a dash. */
export function formatBeforeAfter(before: number | undefined, after: number | undefined): string {
  const [from, to] = [before, after].map((figure) =>
    figure === undefined ? '–' : formatProbability(figure),
  );
  return `${from} → ${to}`;
}

/** By the lower of precision and recall; answers without examples last. */
export function weakestFirst(labels: readonly LabelFigures[]): readonly LabelFigures[] {
  const weakness = ({ precision, recall }: LabelFigures) =>
    recall === null ? 2 : Math.min(precision ?? 1, recall);
  return labels.toSorted((one, other) => weakness(one) - weakness(other));
}

/** What the label mass of a decider says, in a line. */
export function aboutLabelMass({ evaluations, baseline, difference, since }: LabelMass): string {
  const compared = `${formatCount(evaluations)} evaluations against ${formatCount(baseline)} of the calibration`;
  const found =
    since === null
      ? 'as when it was calibrated'
      : `not as when it was calibrated, since ${formatTime(since)}`;
  return `Label mass: ${found} (${compared}: ${formatDifference(difference)})`;
}

/** "PSI 0.312, z 8.1": above what chance would make of the index. */
export function formatDifference({ psi, psi_by_chance: byChance, z }: Difference): string {
  return `PSI ${formatProbability(Math.max(0, psi - byChance))}, z ${z.toFixed(1)}`;
}
