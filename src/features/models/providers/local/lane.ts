import type { GrammarState, Sampling } from './generation.ts';
import type { LlamaContext, LlamaContextSequence, Token, TokenBias } from 'node-llama-cpp';

/** The prediction after the last evaluated token. */
export interface NextToken {
  /** Logit of each token asked for, in that order. */
  readonly logits: readonly number[];
  readonly maxLogit: number;
  /** Sum of `exp(logit - maxLogit)` over the whole vocabulary. */
  readonly totalWeight: number;
}

/** One native sequence: tokens that were evaluated, in order. */
export type Lane = ReturnType<typeof createLane>;

/**
 * Evaluation of single chunks is exact: the same tokens at the same places in the same chunks give the same bits,
 * whatever was in the sequence before. (Streams of one context do not share cells, and freed cells are refilled
 * from the same place.)
 *
 * Chunks that are read out are filled up to `filled` behind their last token, which cannot see what comes after
 * it; `rewind` takes the filling away with the chunk.
 */
export function createLane(context: LlamaContext, filled: (length: number) => number, bias: TokenBias) {
  const sequence: LlamaContextSequence = context.getSequence({ checkpoints: { interval: false } });

  /** Forgets all but the first tokens. What it cannot cut it empties; see `length`. */
  async function rewind(length: number): Promise<void> {
    const end = sequence.nextTokenIndex;
    if (length >= end) return;
    // Recurrent models come back to kept places only; the library would evaluate the rest again in other chunks.
    const cuttable = !sequence.needsCheckpoints || sequence.lastCheckpointIndex === length - 1;
    if (length > 0 && cuttable) await sequence.eraseContextTokenRanges([{ start: length, end }]);
    if (sequence.nextTokenIndex !== length) await sequence.clearHistory();
  }

  /** Evaluates tokens behind those that are there; with `ask` the last one is read out. */
  async function evaluate(tokens: readonly number[]): Promise<null>;
  async function evaluate(tokens: readonly number[], ask: readonly number[]): Promise<NextToken>;
  async function evaluate(tokens: readonly number[], ask?: readonly number[]): Promise<NextToken | null> {
    const chunk = tokens as readonly Token[];
    const last = chunk.at(-1);
    if (ask === undefined || last === undefined) {
      await sequence.controlledEvaluate([...chunk]);
      return null;
    }
    // `includeMax` and `includeMin` are inverted in 3.22.1; the selected token at temperature 0 is the maximum.
    const generateNext = {
      token: true,
      totalLogitWeight: true,
      logits: { filter: { tokens: ask as Token[], includeSelected: true } },
      options: { temperature: 0 },
    } as const;
    const filling = Array<Token>(filled(chunk.length) - chunk.length).fill(last);
    const results = await sequence.controlledEvaluate([
      ...chunk.slice(0, -1),
      [last, { generateNext }],
      ...filling,
    ]);
    const { token, logits, totalLogitWeight = Number.NaN } = results[chunk.length - 1]?.next ?? {};
    const logitOf = (id: number) => logits?.get(id as Token) ?? Number.NaN;
    return {
      logits: ask.map(logitOf),
      maxLogit: token === undefined || token === null ? Number.NaN : logitOf(token),
      totalWeight: totalLogitWeight,
    };
  }

  return {
    length: () => sequence.nextTokenIndex,
    evaluate,
    write: (tokens: readonly number[], sampling: Sampling, grammar: () => GrammarState | undefined) =>
      write(sequence, tokens, { ...sampling, bias }, grammar),
    rewind,
    /** Makes it possible to come back to this length, for models whose memory cannot be cut. */
    async keep() {
      if (sequence.needsCheckpoints) await sequence.takeCheckpoint();
    },
  };
}

/** How far back penalties reach. Unit: tokens. */
const penalizedMax = 4_096;

/**
 * Tokens that the model writes behind the given ones, and each evaluated when the next is asked for: alone, so that
 * its bits do not depend on what others evaluate. `next` may be given tokens that stand in the place of the last one.
 * Ends where the model does.
 */
async function* write(
  sequence: LlamaContextSequence,
  tokens: readonly number[],
  sampling: Sampling & { readonly bias: TokenBias },
  grammar: () => GrammarState | undefined,
): AsyncGenerator<number, void, readonly number[] | undefined> {
  const { presencePenalty, frequencyPenalty, bias, ...others } = sampling;
  const written: Token[] = [];
  const penalized = presencePenalty !== 0 || frequencyPenalty !== 0;
  const repeatPenalty = {
    punishTokens: () => written.slice(-penalizedMax),
    // A constant, so that the native sampler gets each token once instead of all of them each time.
    maxPunishTokens: penalizedMax,
    penalty: 1,
    presencePenalty,
    frequencyPenalty,
  };
  const iterator = sequence.evaluate([...tokens] as Token[], {
    ...others,
    grammarEvaluationState: grammar,
    tokenBias: bias,
    ...(penalized ? { repeatPenalty } : {}),
  });
  try {
    let instead: readonly number[] | undefined;
    for (;;) {
      const next = await iterator.next(instead as Token[] | undefined);
      if (next.done === true) return;
      written.push(next.value);
      instead = yield next.value;
    }
  } finally {
    await iterator.return();
  }
}
