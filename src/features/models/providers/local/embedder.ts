import { setImmediate } from 'node:timers/promises';
import { Fault } from '../../../../kernel/faults.ts';
import { raceSignal } from '../../../../kernel/kit/abort.ts';
import { poolingOf, type Pooling } from './embedding-file.ts';
import { createReader, type Reader } from './embedding-reader.ts';
import { openFile, type LlamaModel, type Runtime, type ModelFile } from './runtime.ts';
import { Turns, type Step } from './turns.ts';
import { slicesOf } from './vocabulary.ts';

export { findEmbeddingFile } from './embedding-file.ts';

export interface LocalEmbedderOptions extends ModelFile {
  /** Memory for reading the longest text; 4 GiB by default. Unit: bytes. */
  readonly memoryBytes?: number;
}

/** An embedding model in this process. */
export interface LocalEmbedder {
  readonly threads: number;
  /** Values of a vector. */
  readonly dimensions: number;
  /** Most tokens of one text, with those that open and end it. */
  readonly textTokensMax: number;
  /** A text as the model reads it: with the tokens that open and end it; none for an empty one. */
  tokenize(text: string, signal: AbortSignal): Promise<readonly number[]>;
  /**
   * One vector per text, not normalised; the zero vector where there are no tokens. Text by text, in turn with other
   * callers and shared between their accounts; the same tokens give the same vector. Rejects with the signal's
   * reason at once (the text under way is still read), and with Fault `service_unavailable` once closed.
   */
  embed(
    texts: readonly (readonly number[])[],
    signal: AbortSignal,
    account?: string,
  ): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

/** Opens an embedding model. Throws LocalModelProblem. */
export function openLocalEmbedder(options: LocalEmbedderOptions): Promise<LocalEmbedder> {
  return openFile(options, poolingOf, (runtime, pooling) => openEmbedder(runtime, pooling, options));
}

const defaultMemoryBytes = 4_294_967_296;

async function openEmbedder(
  { llama, threads }: Runtime,
  pooling: Pooling,
  { path, memoryBytes = defaultMemoryBytes }: LocalEmbedderOptions,
): Promise<LocalEmbedder> {
  const model = await llama.loadModel({
    modelPath: path,
    // Without it attention over a text of n tokens takes n * n numbers per head.
    defaultContextFlashAttention: 'auto',
    ...(llama.gpu === false ? { gpuLayers: 0 } : {}),
  });
  const reader = await createReader(model, { threads, whole: pooling.whole, memoryBytes });
  const turns = new Turns();
  const frame = frameOf(model);
  const embedder: LocalEmbedder = {
    threads,
    dimensions: model.embeddingVectorSize,
    textTokensMax: reader.tokensMax,
    tokenize: (text, signal) => tokenize(model, frame, text, signal),
    async embed(texts, signal, account) {
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
  reader: Reader,
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
async function tokenize(
  model: LlamaModel,
  { before, after }: Frame,
  text: string,
  signal: AbortSignal,
): Promise<readonly number[]> {
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
