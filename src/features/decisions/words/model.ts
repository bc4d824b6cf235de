import type { Metric } from './metric.ts';
import trained from './model.json' with { type: 'json' };

/** Trained parameters, which `npm run train:words` writes to `model.json`. */
export interface Model {
  readonly metric: Metric;
  /** Centres of usual messages in the metric's space, row after row. */
  readonly usual: readonly number[];
  readonly noul: {
    readonly bias: number;
    /** One per feature, in the order of `featureNames`. */
    readonly weights: readonly number[];
  };
  readonly choice: {
    readonly weights: readonly number[];
    /** Logit of an option such as "other", before sharpness. */
    readonly remainder: number;
    /** Logits are multiplied by n to this power: the temperature falls or rises with the number of options. */
    readonly sharpnessPower: number;
  };
}

export const model: Model = trained;
