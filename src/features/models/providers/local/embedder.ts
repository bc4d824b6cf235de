import { setImmediate } from 'node:timers/promises';
import { Fault } from '../../../../kernel/faults.ts';
import { raceSignal } from '../../../../kernel/kit/abort.ts';
import type { LlamaEmbeddingContext, LlamaModel, Token } from 'node-llama-cpp';
import { chunkOf, memoryFor, openFile, type ModelFile, type Runtime } from './runtime.ts';
import { Turns, type Step } from './turns.ts';
import { slicesOf } from './vocabulary.ts';
import { findModelFile, GgufProblem, type GgufHeader } from './gguf.ts';

export interface LocalEmbedderOptions extends ModelFile {
  /** Memory for reading the longest text; 4 GiB by default. Unit: bytes. */
  readonly memoryBytes?: number;
}

export type LocalEmbedder = Awaited<ReturnType<typeof openEmbedder>>;

/** Opens an embedding model. Throws LocalModelProblem. */
export function openLocalEmbedder(options: LocalEmbedderOptions): Promise<LocalEmbedder> {
  return openFile(options, readsWhole, (runtime, whole) => openEmbedder(runtime, whole, options));
}

const defaultMemoryBytes = 4_294_967_296;

async function openEmbedder(
  { llama, threads }: Runtime,
  whole: boolean,
  { path, memoryBytes = defaultMemoryBytes }: LocalEmbedderOptions,
) {
  const model = await llama.loadModel({
    modelPath: path,
    // Without it attention over a text of n tokens takes n * n numbers per head.
    defaultContextFlashAttention: 'auto',
    ...(llama.gpu === false ? { gpuLayers: 0 } : {}),
  });
  const reader = await createReader(model, threads, whole, memoryBytes);
  const turns = new Turns();
  const frame = frameOf(model);
  const embedder = {
    threads,
    dimensions: model.embeddingVectorSize,
    /** Most tokens of one text, with those that open and end it. */
    textTokensMax: reader.tokensMax,
    /** A text as the model reads it: with the tokens that open and end it; none for an empty one. */
    tokenize: (text: string, signal: AbortSignal) => tokenize(model, frame, text, signal),
    /**
     * One vector per text, not normalised; the zero vector where there are no tokens. Text by text, in turn with other
     * callers and shared between their accounts; the same tokens give the same vector. Rejects with the signal's
     * reason at once (the text under way is still read), and with Fault `service_unavailable` once closed.
     */
    async embed(texts: readonly (readonly number[])[], signal: AbortSignal, account?: string) {
      signal.throwIfAborted();
      const task = readAll(reader, texts, model.embeddingVectorSize);
      return raceSignal(turns.run(task, signal, account), signal);
    },
    async close() {
      await turns.close();
      await llama.dispose();
    },
  };
  // One text at start: a model that cannot evaluate says so now, and its pages are in memory for the first caller.
  const { signal } = new AbortController();
  await embedder.embed([await embedder.tokenize('a', signal)], signal);
  return embedder;
}

async function* readAll(
  reader: Awaited<ReturnType<typeof createReader>>,
  texts: readonly (readonly number[])[],
  dimensions: number,
): AsyncGenerator<Step, readonly Float32Array[], void> {
  const vectors: Float32Array[] = [];
  for (const tokens of texts) {
    const vector = tokens.length === 0 ? new Float32Array(dimensions) : await reader.read(tokens);
    if (!vector.every(Number.isFinite))
      throw new Fault('bad_gateway', 'The local embedding model gave an unusable answer.');
    vectors.push(vector);
    if (vectors.length < texts.length) yield 'worked';
  }
  return vectors;
}

interface Frame {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/**
 * The tokens that open and end a text, by the rules of llama.cpp's own tokenizer. The library adds the same, except that it
 * leaves the beginning out for models with a unigram vocabulary, whose vector is often that very token's.
 */
function frameOf({ vocabularyType, tokens }: LlamaModel): Frame {
  const kind: string = vocabularyType;
  if (kind === 'rwkv') return { before: [], after: [] };
  const begins = kind === 'wpm' || tokens.shouldPrependBosToken;
  const end = kind === 'wpm' ? tokens.sep : kind === 'ugm' || tokens.shouldAppendEosToken ? tokens.eos : null;
  return {
    before: begins && tokens.bos !== null ? [tokens.bos] : [],
    after: end === null ? [] : [end],
  };
}

/** Long texts in slices, so that others get the event loop. */
async function tokenize(model: LlamaModel, { before, after }: Frame, text: string, signal: AbortSignal) {
  signal.throwIfAborted();
  if (text === '') return [];
  const tokens = [...before];
  for (const [index, slice] of slicesOf(text).entries()) {
    if (index > 0) await setImmediate(undefined, { signal });
    // Only the beginning of the text may get the blank that some tokenizers put before one.
    for (const token of model.tokenize(slice, false, index === 0 ? undefined : 'trimLeadingSpace'))
      tokens.push(token);
  }
  tokens.push(...after);
  return tokens;
}

/** Most of a text that the API takes. */
const apiTokensMax = 32_768;
/** Size of the context that stays open. Larger ones are opened for the texts that need them, and closed afterwards. */
const usualSize = 2_048;
/** The library keeps the last cell free. */
const reserved = 1;
const step = 256;

/**
 * Reads one text at a time. `whole`: every text has to be one evaluation. `memoryBytes`: for reading the longest text.
 * Throws Error when not even a short one fits.
 */
async function createReader(model: LlamaModel, threads: number, whole: boolean, memoryBytes: number) {
  const chunk = chunkOf(model.llama);
  const batchOf = (size: number) => (whole ? size : Math.min(size, chunk));
  const memoryOf = (size: number) => memoryFor(model, size, batchOf(size), { isEmbeddingContext: true });
  let largest = roundUp(Math.min(model.trainContextSize, apiTokensMax) + reserved);
  for (; (await memoryOf(largest)) > memoryBytes; largest = roundUp(largest / 2))
    if (largest <= step) throw new Error(`${step} tokens do not fit into ${memoryBytes} bytes`);
  const usual = Math.min(usualSize, largest);
  const open = (size: number): Promise<LlamaEmbeddingContext> =>
    model.createEmbeddingContext({ contextSize: size, batchSize: batchOf(size), threads });
  let kept: LlamaEmbeddingContext | null = null;
  return {
    tokensMax: Math.min(model.trainContextSize, apiTokensMax, largest - reserved),
    async read(tokens: readonly number[]): Promise<Float32Array> {
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

function roundUp(tokens: number): number {
  return Math.ceil(tokens / step) * step;
}

/** `pooling_type` of llama.cpp: how a model joins the vectors of its tokens. */
const mean = 1;
const first = 2;
const last = 3;
const ranking = 4;

/**
 * Whether a whole text has to be one evaluation: what looks ahead sees nothing beyond it, and of a mean over several only
 * the last one's would be left. (With the library's own size of 512 that is what came out, without an error.) Throws
 * GgufProblem where the file holds another kind of model.
 */
export function readsWhole({ architecture, metadata }: GgufHeader): boolean {
  if (architecture === 'clip') throw new GgufProblem('the file is a vision projector and no embedding model');
  const pooling = metadata.get(`${architecture}.pooling_type`);
  if (pooling === ranking) throw new GgufProblem('the file is a ranking model and no embedding model');
  if (pooling !== mean && pooling !== first && pooling !== last) {
    throw new GgufProblem('the file names no pooling; it is a chat model and no embedding model');
  }
  if (!metadata.has('tokenizer.ggml.tokens.length')) throw new GgufProblem('the file holds no tokenizer');
  return pooling !== last || metadata.get(`${architecture}.attention.causal`) === false;
}

/** The first embedding model by name in a folder or its folder `models`; null when there is none. */
export const findEmbeddingFile = async (folder: string): Promise<string | null> =>
  (await findModelFile(folder, readsWhole)).found;
