import fitted from './coefficients.json' with { type: 'json' };

/** Numbers of the readout, fitted by `training/fit-baseline.ts`, which writes the file. */
export interface Coefficients {
  readonly noul: {
    readonly bias: number;
    /** One per feature, in the order of `featureNames`. */
    readonly weights: readonly number[];
    /** Added weight of a polarity mismatch where only the topic is asked for. */
    readonly topicalMismatch: number;
  };
  readonly choice: {
    readonly weights: readonly number[];
    /** Logit of an option that stands for what the others leave, before sharpness. */
    readonly remainder: number;
    /** Logits are multiplied by n to this power. */
    readonly sharpnessPower: number;
  };
}

export const coefficients: Coefficients = fitted;
