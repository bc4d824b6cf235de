import type { Caller } from '../../../../kernel/kit/caller.ts';
import type { OnnxModel } from '../../../models/feature.ts';
import type { Distribution, NormalizedQuestion } from '../../engine.ts';

/** One way to ask a model in ONNX form. The spec of `adapters`; the list is `adapters/index.ts`. */
export interface Adapter {
  readonly name: string;
  /** Whether it can ask this model. */
  suits(model: OnnxModel): boolean;
  open(model: OnnxModel): Reader;
}

/** Declares an adapter, which is then one line in `adapters/index.ts`. */
export const defineAdapter = (adapter: Adapter): Adapter => adapter;

/**
 * Asks one model. An option's score does not depend on the other options, on their order or on the other questions; so
 * no answer depends on the order in which options are sent.
 */
export interface Reader {
  /** Most tokens of a state that is read whole. */
  readonly stateTokensMax: number;
  /** Most tokens of one window of a longer state. */
  readonly windowTokensMax: number;
  /** Most tokens of one text of a question. */
  readonly textTokensMax: number;
  /** Of the windows of a long state, as many of the most relevant decide a question. */
  readonly windowsReadMax: number;
  /** What is compared with the state, by option; a noul without a definition of `false` has one text. */
  textsOf(question: NormalizedQuestion): readonly string[];
  score(
    windows: readonly string[],
    questions: readonly NormalizedQuestion[],
    caller: Caller,
  ): Promise<readonly Distribution[]>;
}
