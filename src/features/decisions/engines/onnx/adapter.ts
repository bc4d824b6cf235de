import type { Caller } from '../../../../kernel/kit/caller.ts';
import type { OnnxModel, RowText } from '../../../models/feature.ts';
import type { Distribution, NormalizedQuestion } from '../../engine.ts';

/** One way to ask a model in ONNX form. The spec of `adapters`; the list is `adapters/index.ts`. */
export interface Adapter {
  readonly name: string;
  /** Whether it can ask this model. */
  suits(model: OnnxModel): boolean;
  /** Throws OnnxProblem where the settings of the model lack what it needs. */
  open(model: OnnxModel): Reader;
}

/** Declares an adapter, which is then one line in `adapters/index.ts`. */
export const defineAdapter = (adapter: Adapter): Adapter => adapter;

/** How much of a state is read at once. */
export interface Room {
  /** Most tokens of a state that is read whole. */
  readonly wholeMax: number;
  /** Most tokens of one window of a longer state. */
  readonly tokensMax: number;
  /** Most windows that a state may have, where they are small or few are read. */
  readonly windowsMax?: number;
  /** Each sentence is a window of its own. */
  readonly isBySentence?: boolean;
}

/**
 * Asks one model. An answer does not depend on the other questions; nor on the order in which options are sent, because
 * options are scored one by one, or are asked in an order that does not depend on it.
 */
export interface Reader {
  /** Of the windows of a long state, as many of the most relevant decide a question. */
  readonly windowsReadMax: number;
  /** What is read of a question beside the state. */
  textsOf(question: NormalizedQuestion): readonly RowText[];
  /** Most tokens that a question may take of a row. */
  readonly questionTokensMax: number;
  /** Tokens that it takes, by those of its texts. */
  sizeOf(tokens: readonly number[]): number;
  /** What a question of this size leaves for the state. */
  roomFor(size: number): Room;
  score(
    windows: readonly string[],
    questions: readonly NormalizedQuestion[],
    caller: Caller,
  ): Promise<readonly Distribution[]>;
}

/** A number above zero of a model's settings, else the other. */
export const positive = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : otherwise;
