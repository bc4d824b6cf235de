/** Native dimensions of the two sizes of the interface. */
export type EmbeddingSize = 1024 | 2560;

/**
 * Turns texts into vectors whose cosine means likeness. The spec of `embeddings/engines`; the list is
 * `engines/index.ts`. Vectors are not normalised or encoded here: `encode.ts` does both.
 *
 * The family suite checks: the same text gives the same vector whatever else is in the call; values are finite; a text
 * without any known content is the zero vector or close to nothing, never an error.
 */
export interface EmbeddingEngine {
  /** Public name, sent as `x-nestor-engine`. */
  readonly name: string;
  /** Names its vectors where other weights may follow under its name: those of another are never compared. */
  readonly vectors?: string;
  /** Leading values that an index keeps, where the others say nothing or little; all 1,024 without it. */
  readonly storedDimensions?: number;
  /** Texts of an index that it reads best have at most so many UTF-16 units; without it passages are read whole. */
  readonly passageUnits?: number;
  /** What its vectors weigh in the ranking of an index, beside 1 for words, where that was measured. */
  readonly rankingWeights?: Partial<RankingWeights>;
  health(): 'ok' | 'down';
  /** Tokens of each text. Unit: tokens. */
  countTokens(texts: readonly string[], signal: AbortSignal): Promise<readonly number[]>;
  /**
   * One vector of `size` values per text. Throws Fault `service_unavailable`, `gateway_timeout`, `bad_gateway`;
   * rejects with the signal's reason when it aborts. `account` is for whom, where accounts share what evaluates; the
   * server itself without it. No vector depends on it.
   */
  embed(
    texts: readonly string[],
    size: EmbeddingSize,
    signal: AbortSignal,
    account?: string,
  ): Promise<readonly Float32Array[]>;
  /** The chunks of one document, each seen in the light of the others. */
  embedChunks(
    chunks: readonly string[],
    size: EmbeddingSize,
    signal: AbortSignal,
    account?: string,
  ): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

interface RankingWeights {
  /** How far scores by words are spread. In [0, 1). */
  readonly floor: number;
  /** Likeness of a passage to the query. */
  readonly meaning: number;
  /** Likeness of how the document begins. */
  readonly beginning: number;
  /** Least cosine of a passage with none of the words; 1 where none is found so. */
  readonly aloneMin: number;
  /** Words in title and headings. */
  readonly title: number;
}

/** The name under which its vectors are stored. */
export const vectorsOf = ({ name, vectors = name }: Pick<EmbeddingEngine, 'name' | 'vectors'>): string =>
  vectors;

/**
 * Cuts or fills a vector to the size. Cutting is how the sizes of one model family differ; zeros change no cosine.
 */
export function fit(vector: Float32Array, size: EmbeddingSize): Float32Array {
  if (vector.length === size) return vector;
  const fitted = new Float32Array(size);
  fitted.set(vector.subarray(0, size));
  return fitted;
}
