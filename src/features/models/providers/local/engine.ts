import { chooseAttention, type Attention, type AttentionBounds } from './attention.ts';
import { checkCausalHeader } from './chat-file.ts';
import type { DecisionFile } from './decision-file.ts';
import { createDecoding, noTextTokens } from './decoding.ts';
import { tile } from './filling.ts';
import type { Ending, Generation, Grammar } from './generation.ts';
import { createLane, type NextToken } from './lane.ts';
import type { LlamaContext, LlamaModel } from 'node-llama-cpp';
import { chunkOf, memoryFor, openFile, type ModelFile, type Runtime } from './runtime.ts';
import { compile, createChatTemplate } from './template.ts';
import { Turns } from './turns.ts';
import { createVocabulary } from './vocabulary.ts';
import type { Layout } from './slots.ts';
import { WarmLanes, type Reading } from './warm.ts';

export type { NextToken } from './lane.ts';
export type { Suffix } from './warm.ts';
export { LocalModelProblem } from './runtime.ts';
export {
  findEmbeddingFile,
  openLocalEmbedder,
  type LocalEmbedder,
  type LocalEmbedderOptions,
} from './embedder.ts';

export interface LocalModelOptions extends ModelFile {
  /** Memory for evaluated tokens, kept warm between requests. 1 GiB by default. Unit: bytes. */
  readonly cacheBytes?: number;
}

/** A model in this process, shared by all that evaluate. */
export type LocalModel = Awaited<ReturnType<typeof openModel>>;

/** Opens a chat model or a decision model. Throws LocalModelProblem. */
export function openLocalModel(options: LocalModelOptions): Promise<LocalModel> {
  return openFile(options, checkCausalHeader, (runtime, decision) => openModel(runtime, options, decision));
}

async function openModel(runtime: Runtime, options: LocalModelOptions, decision: DecisionFile | null) {
  const { llama, threads } = runtime;
  const model = await llama.loadModel({
    modelPath: options.path,
    ...(llama.gpu === false ? { gpuLayers: 0 } : {}),
  });
  const source = decision?.template ?? model.fileInfo.metadata.tokenizer.chat_template;
  const chunk = chunkOf(llama);
  const cacheBytes = options.cacheBytes ?? defaultCacheBytes;
  const bounds = { cacheBytes, tokenBytes: await tokenBytesOf(model, chunk), chunk };
  const attention = chooseAttention(model, bounds);
  const bias = runtime.forbid(model, noTextTokens(model));
  let context: LlamaContext | null = null;
  const lanes = new WarmLanes(layoutsOf(model, bounds, attention), chunk, async (layout) => {
    await context?.dispose();
    const opened = await createContext(model, layout, { batchSize: chunk, threads, attention });
    context = opened;
    return Array.from({ length: opened.totalSequences }, () => createLane(opened, attention.filled, bias));
  });
  const turns = new Turns();
  /**
   * Predicts the token after each suffix, in turn with other callers, shared between their accounts. The same reading
   * gives the same numbers, whatever was evaluated before or is evaluated beside it. Rejects with the signal's reason
   * between evaluations, and with Fault `service_unavailable` once closed.
   */
  const read = (reading: Reading, signal: AbortSignal, account?: string): Promise<readonly NextToken[]> =>
    turns.run(lanes.read(reading, account), signal, account);
  // One token at start: a model that cannot evaluate says so now, and its pages are in memory for the first caller.
  await read({ prefix: [], suffixes: [{ tokens: [0], ask: [0] }] }, new AbortController().signal);
  return {
    threads,
    /** Most tokens of one evaluation, prefix and suffix together. */
    contextTokens: lanes.tokensMax,
    /** How a model is asked that was trained to decide; null for one that writes. */
    decision: decision && { ...decision, render: compile(decision.template) },
    vocabulary: createVocabulary(model, source ?? ''),
    template: createChatTemplate(decision === null ? source : undefined, {
      bos: model.tokens.bosString ?? '',
      eos: model.tokens.eosString ?? '',
    }),
    read,
    /**
     * Writes one answer, in turn with other callers and with those who read. The same generation is the same answer,
     * whatever runs beside it. Rejects as `read` does, within one token.
     */
    generate: (generation: Generation, signal: AbortSignal, account?: string): Promise<Ending> =>
      turns.run(lanes.generate(generation, account), signal, account),
    /** Compiles GBNF. Throws Error where it does not parse. */
    async compileGrammar(grammar: string): Promise<Grammar> {
      const compiled = await llama.createGrammar({ grammar });
      return { begin: () => runtime.beginGrammar(model, compiled) };
    },
    decoding: createDecoding(model),
    /** Evaluated since the start. Unit: tokens. */
    evaluated: () => lanes.evaluated,
    async close() {
      await turns.close();
      await llama.dispose();
    },
  };
}

const defaultCacheBytes = 1_073_741_824;
/** The library keeps the last cell of a lane free, and the filling needs its place. */
const reserved = 1 + tile;

const lanesMax = 4;
/** A lane should hold this much before there is a second one. Unit: tokens. */
const laneTokens = 4_096;

/** What the cache takes for one token. */
async function tokenBytesOf(model: LlamaModel, chunk: number): Promise<number> {
  const small = await memoryFor(model, 1_024, chunk, { swaFullCache: true });
  const large = await memoryFor(model, 2_048, chunk, { swaFullCache: true });
  return Math.max(1, (large - small) / 1_024);
}

/** One to four lanes in the memory given, more lanes first; those that are too small for use are left out. */
function layoutsOf(
  model: LlamaModel,
  { cacheBytes, tokenBytes }: AttentionBounds,
  { scratchBytes }: Attention,
): readonly Layout[] {
  const wanted = Math.min(model.trainContextSize, laneTokens);
  const layouts = Array.from({ length: lanesMax }, (_, index) => {
    const lanes = lanesMax - index;
    // Lanes are evaluated one at a time, so there is one scratch for all.
    const room = Math.floor(cacheBytes / (tokenBytes * lanes + scratchBytes) / 256) * 256;
    return { lanes, size: Math.min(model.trainContextSize, Math.max(256, room)) - reserved };
  });
  return layouts.filter(({ lanes, size }) => lanes === 1 || size >= wanted - reserved);
}

interface ContextOptions {
  readonly batchSize: number;
  readonly threads: number;
  readonly attention: Attention;
}

async function createContext(model: LlamaModel, { lanes, size }: Layout, options: ContextOptions) {
  const { batchSize, threads, attention } = options;
  return model.createContext({
    sequences: lanes,
    contextSize: size + reserved,
    batchSize,
    threads: { ideal: threads, min: threads },
    flashAttention: attention.flashAttention,
    // Sliding windows would forget what a rewind needs.
    swaFullCache: true,
    failedCreationRemedy: false,
  });
}
