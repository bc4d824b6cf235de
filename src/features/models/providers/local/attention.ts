import type { LlamaModel } from 'node-llama-cpp';
import { fillingFor } from './filling.ts';

/** How a context computes attention. It is chosen once for a model, because one way does not give the bits of the other. */
export interface Attention {
  readonly flashAttention: false | 'auto';
  /** Length of a chunk that is read out, with its filling, by its own length. */
  readonly filled: (length: number) => number;
  /** Memory for weights of attention, by the length of a lane. Unit: bytes per token. */
  readonly scratchBytes: number;
}

export interface AttentionBounds {
  readonly cacheBytes: number;
  /** Of the cache, for one token. */
  readonly tokenBytes: number;
  /** Most tokens of an evaluation. */
  readonly chunk: number;
}

/**
 * On a CPU flash attention is fast in tiles of 64 tokens only: behind 1,000 tokens and with heads of 64, 43 tokens took
 * 17.2 ms each with it and 12.7 as products of matrices, and a chunk of 128 as long either way. With heads of 128 a chunk
 * takes 13 % longer as matrices. They need memory, so they are taken where no context is lost to it.
 */
export function chooseAttention(model: LlamaModel, bounds: AttentionBounds): Attention {
  const { cacheBytes, tokenBytes, chunk } = bounds;
  const { count, size } = headsOf(model);
  const scratchBytes = count * chunk * weightBytes;
  const fits = model.trainContextSize * (tokenBytes + scratchBytes) <= cacheBytes;
  const onCpu = model.llama.gpu === false;
  if (onCpu && size <= 64 && fits) {
    return { flashAttention: false, filled: (length) => length, scratchBytes };
  }
  const filled = onCpu ? fillingFor(size) : (length: number) => length;
  return { flashAttention: 'auto', filled, scratchBytes: 0 };
}

/** Of a token on another in one head: 32 bits, and a copy in 16 for the product with the values. */
const weightBytes = 6;

/** As llama.cpp reads it. */
function headsOf({ fileInfo: { architectureMetadata: about } }: LlamaModel) {
  const heads = about.attention?.head_count;
  const count = typeof heads === 'number' ? heads : Math.max(1, ...(heads ?? []));
  const size = about.attention?.key_length ?? (about.embedding_length ?? Number.POSITIVE_INFINITY) / count;
  return { count, size };
}
