import { chunkOf, memoryFor, type LlamaModel, type LlamaEmbeddingContext, type Token } from './runtime.ts';

interface ReaderOptions {
  readonly threads: number;
  /** Every text has to be one evaluation. */
  readonly whole: boolean;
  /** Memory for reading the longest text. Unit: bytes. */
  readonly memoryBytes: number;
}

/** Reads one text at a time. */
export interface Reader {
  /** Most tokens of a text. */
  readonly tokensMax: number;
  read(tokens: readonly number[]): Promise<Float32Array>;
}

/** Most of a text that the API takes. */
const apiTokensMax = 32_768;
/** Size of the context that stays open. Larger ones are opened for the texts that need them, and closed afterwards. */
const usualSize = 2_048;
/** The library keeps the last cell free. */
const reserved = 1;
/** Sizes are multiples of this. */
const step = 256;

/** Throws Error when not even a short text fits the memory. */
export async function createReader(model: LlamaModel, options: ReaderOptions): Promise<Reader> {
  const { threads, whole, memoryBytes } = options;
  const chunk = chunkOf(model.llama);
  const batchOf = (size: number) => (whole ? size : Math.min(size, chunk));
  const most = roundUp(Math.min(model.trainContextSize, apiTokensMax) + reserved);
  const largest = await largestFitting(most, memoryBytes, (size) =>
    memoryFor(model, size, batchOf(size), { isEmbeddingContext: true }),
  );
  const usual = Math.min(usualSize, largest);
  const open = (size: number): Promise<LlamaEmbeddingContext> =>
    model.createEmbeddingContext({ contextSize: size, batchSize: batchOf(size), threads });
  let kept: LlamaEmbeddingContext | null = null;
  return {
    tokensMax: Math.min(model.trainContextSize, apiTokensMax, largest - reserved),
    async read(tokens) {
      if (tokens.length + reserved <= usual) return vectorOf((kept ??= await open(usual)), tokens);
      const context = await open(roundUp(tokens.length + reserved));
      try {
        return await vectorOf(context, tokens);
      } finally {
        await context.dispose();
      }
    },
  };
}

async function vectorOf(context: LlamaEmbeddingContext, tokens: readonly number[]): Promise<Float32Array> {
  const { vector } = await context.getEmbeddingFor([...tokens] as Token[]);
  return Float32Array.from(vector);
}

/** The largest size up to `most` within the memory, by halving. */
async function largestFitting(
  most: number,
  memoryBytes: number,
  bytesOf: (size: number) => Promise<number>,
): Promise<number> {
  for (let size = most; ; size = roundUp(size / 2)) {
    if ((await bytesOf(size)) <= memoryBytes) return size;
    if (size <= step) throw new Error(`${step} tokens do not fit into ${memoryBytes} bytes`);
  }
}

function roundUp(tokens: number): number {
  return Math.ceil(tokens / step) * step;
}
