import type { Calibration } from '../calibration.ts';
import type { Figures } from './calibrate.ts';

export interface Drift {
  readonly moved: boolean;
  /** One line for each figure that is watched, both numbers in it. */
  readonly lines: readonly string[];
}

/** Compares with the figures that a calibration was fitted with; only what got worse counts. */
export function toDrift(then: Calibration['figures'], now: Figures, bound: number): Drift {
  const watched = [
    { name: 'accuracy', was: then.accuracy, is: now.accuracy, worse: then.accuracy - now.accuracy },
    { name: 'ECE', was: then.ece, is: now.ece, worse: now.ece - then.ece },
  ];
  const lines = watched.map(({ name, was, is, worse }) => {
    const verdict = worse > bound ? `worse by ${worse.toFixed(4)}, more than ${bound}` : `within ${bound}`;
    return `${name}: ${was.toFixed(4)} when it was fitted, ${is.toFixed(4)} now: ${verdict}`;
  });
  return { moved: watched.some(({ worse }) => worse > bound), lines };
}
