import { availableParallelism } from 'node:os';
import type * as Library from 'node-llama-cpp';
import type {
  Llama,
  LlamaGrammar,
  LlamaGrammarEvaluationState,
  LlamaModel,
  Token,
  TokenBias,
} from 'node-llama-cpp';

export type {
  Llama,
  LlamaContext,
  LlamaContextSequence,
  LlamaEmbeddingContext,
  LlamaGrammar,
  LlamaGrammarEvaluationState,
  LlamaModel,
  Token,
  TokenBias,
} from 'node-llama-cpp';

export interface Runtime {
  readonly llama: Llama;
  /** Threads that evaluate. */
  readonly threads: number;
  /** A place in a grammar, at its start. */
  beginGrammar(model: LlamaModel, grammar: LlamaGrammar): LlamaGrammarEvaluationState;
  /** Keeps these tokens from being drawn. */
  forbid(model: LlamaModel, tokens: readonly number[]): TokenBias;
  /** What the native side complained about last; empty when nothing. One line. */
  lastComplaint(): string;
}

/** The optional dependency is absent or has no binary for this machine; the message is one line for an operator. */
export class RuntimeProblem extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'RuntimeProblem';
  }
}

/**
 * Loads node-llama-cpp, which is an optional dependency. Nothing is built or downloaded. Throws RuntimeProblem.
 *
 * Threads are always said: the library's own default took four on two cores, and a run of 16 s took over 100.
 * `availableParallelism` knows the limits of a container; the library knows which cores can do arithmetic.
 */
export async function openRuntime(options: {
  readonly gpu: boolean;
  readonly threads?: number;
}): Promise<Runtime> {
  const library = await load();
  const cores = Math.max(1, options.threads ?? availableParallelism());
  let complaint = '';
  try {
    const llama = await library.getLlama({
      gpu: options.gpu ? 'auto' : false,
      build: 'never',
      skipDownload: true,
      progressLogs: false,
      maxThreads: cores,
      logLevel: library.LlamaLogLevel.error,
      logger: (_level, message) => {
        complaint = message.replaceAll(/\s+/g, ' ').trim() || complaint;
      },
    });
    const threads = options.threads === undefined ? Math.min(cores, Math.max(1, llama.cpuMathCores)) : cores;
    return {
      llama,
      threads,
      beginGrammar: (model, grammar) => new library.LlamaGrammarEvaluationState({ model, grammar }),
      forbid(model, tokens) {
        const bias = library.TokenBias.for(model);
        for (const token of tokens) bias.set(token as Token, 'never');
        return bias;
      },
      lastComplaint: () => complaint,
    };
  } catch (error) {
    throw new RuntimeProblem(
      `node-llama-cpp has no binary for ${process.platform} ${process.arch} (it needs glibc on Linux)`,
      error,
    );
  }
}

async function load(): Promise<typeof Library> {
  try {
    return await import('node-llama-cpp');
  } catch (error) {
    throw new RuntimeProblem(
      'node-llama-cpp is not installed; npm install node-llama-cpp@3.22.1 adds it',
      error,
    );
  }
}
