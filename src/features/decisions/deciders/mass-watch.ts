import type { Clock } from '../../../kernel/kit/clock.ts';
import { countMasses } from '../calibration.ts';
import {
  compareAnswers,
  withAnswers,
  type Answers,
  type Difference,
  type Watched,
} from '../learning/drift.ts';

/** How the label masses of a decider lie beside those of the rows that it was calibrated on. */
export interface MassFigures {
  /** Evaluations that are looked at: the last 500 to 1,000. */
  readonly evaluations: number;
  /** Those of the fit. */
  readonly baseline: number;
  readonly difference: Difference;
  /** When it began to differ; null while it does not. Unit: ms since 1970. */
  readonly sinceMs: number | null;
}

/** A decider whose label masses began to differ from those of its fit, or no longer do. */
export interface MassChange extends MassFigures {
  readonly decider: string;
  readonly hasBegun: boolean;
}

export interface MassWatchOptions {
  readonly clock: Clock;
  readonly onChange: (change: MassChange) => void;
}

/** Compared once for so many: a test after each would cry wolf more often. */
const together = 50;

/**
 * Compares how much of a model's distribution falls on the options with what it was when its decider was calibrated: it falls where the
 * model was changed, or is asked what it does not understand. Counts are kept by this process alone, and begin with it.
 */
export class MassWatch {
  readonly #options: MassWatchOptions;
  /** By every name of the decider. */
  readonly #known = new Map<string, { watched: Watched }>();

  constructor(options: MassWatchOptions) {
    this.#options = options;
  }

  /** Returns what is to be told each mass. The first of the names stands in the log. `baseline` are counts of `countMasses`. */
  begin(names: readonly string[], baseline: readonly number[]): (mass: number) => void {
    const own = { watched: { baseline: toCounts(baseline), previous: null, current: none, sinceMs: null } };
    for (const name of names) this.#known.set(name, own);
    let waiting: number[] = [];
    return (mass) => {
      waiting.push(mass);
      if (waiting.length < together) return;
      this.#add(names[0] ?? '', own, toCounts(countMasses(waiting)));
      waiting = [];
    };
  }

  /** Null for a decider without a calibration that has masses. */
  figures(name: string): MassFigures | null {
    const own = this.#known.get(name);
    return own === undefined ? null : toFigures(own.watched);
  }

  #add(decider: string, own: { watched: Watched }, more: Answers): void {
    const { clock, onChange } = this.#options;
    const before = own.watched;
    own.watched = withAnswers(before, more, clock.now());
    const hasBegun = own.watched.sinceMs !== null;
    if (hasBegun !== (before.sinceMs !== null)) onChange({ decider, hasBegun, ...toFigures(own.watched) });
  }
}

/** Masses are counted as confidences are; nothing is chosen. */
const toCounts = (masses: readonly number[]): Answers => ({ chosen: [], sure: masses });

const none = toCounts(countMasses([]));

function toFigures(watched: Watched): MassFigures {
  const { answers, baseline, confidence } = compareAnswers(watched);
  return { evaluations: answers, baseline, difference: confidence, sinceMs: watched.sinceMs };
}
