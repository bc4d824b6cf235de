import type * as Library from 'node-llama-cpp';
import type { Llama, LlamaGrammar, LlamaModel, Token } from 'node-llama-cpp';
import { availableParallelism } from 'node:os';
import { errorMessage } from '../../../../kernel/kit/errors.ts';
import { GgufProblem, readGgufHeader, type GgufHeader } from './gguf.ts';

export type Runtime = Awaited<ReturnType<typeof openRuntime>>;

/** The optional dependency is absent or has no binary for this machine; the message is one line for an operator. */
class RuntimeProblem extends Error {
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
async function openRuntime(options: Required<Pick<ModelFile, 'gpu' | 'threads'>>) {
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
    const threads = options.threads === null ? Math.min(cores, Math.max(1, llama.cpuMathCores)) : cores;
    return {
      llama,
      threads,
      beginGrammar: (model: LlamaModel, grammar: LlamaGrammar) =>
        new library.LlamaGrammarEvaluationState({ model, grammar }),
      /** Keeps these tokens from being drawn. */
      forbid(model: LlamaModel, tokens: readonly number[]) {
        const bias = library.TokenBias.for(model);
        for (const token of tokens) bias.set(token as Token, 'never');
        return bias;
      },
      /** The last error message of the native side, in one line; empty when there was none. */
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

export class LocalModelProblem extends Error {
  constructor(path: string, reason: string, cause?: unknown) {
    super(`${path}: ${reason}`, { cause });
    this.name = 'LocalModelProblem';
  }
}

/** `complaint` is the last error message of the native side. */
function reasonOf(error: unknown, complaint: string | undefined): string {
  if (error instanceof GgufProblem || error instanceof RuntimeProblem) return error.message;
  const message = errorMessage(error);
  const line = message.replaceAll(/\s+/g, ' ').trim();
  return complaint === undefined || complaint === '' ? line : `${line} (${complaint})`;
}

export interface ModelFile {
  readonly path: string;
  /** Use a GPU if there is one and node-llama-cpp was installed with it. */
  readonly gpu?: boolean;
  /** Threads that evaluate; the real cores by default, and for null. */
  readonly threads?: number | null;
}

/**
 * Opens a model in a runtime of its own. Its header is checked first, because native code may take the process down when
 * a file lies. Throws LocalModelProblem, after the runtime was disposed of.
 */
export async function openFile<Checked, Opened>(
  { path, gpu = false, threads = null }: ModelFile,
  check: (header: GgufHeader) => Checked,
  open: (runtime: Runtime, checked: Checked) => Promise<Opened>,
): Promise<Opened> {
  let runtime: Runtime | null = null;
  try {
    const checked = check(await readGgufHeader(path));
    runtime = await openRuntime({ gpu, threads });
    return await open(runtime, checked);
  } catch (error) {
    const complaint = runtime?.lastComplaint();
    await runtime?.llama.dispose();
    throw new LocalModelProblem(path, reasonOf(error, complaint), error);
  }
}

/**
 * Tokens per evaluation. On a CPU 128 are as fast per token as 512, take a quarter of the scratch memory and let
 * others in four times as often; a GPU needs more to be busy.
 */
export const chunkOf = (llama: Llama): number => (llama.gpu === false ? 128 : 512);

/** Memory of a context with one sequence. Unit: bytes. */
export async function memoryFor(
  model: LlamaModel,
  contextSize: number,
  batchSize: number,
  kind: { readonly isEmbeddingContext?: true; readonly swaFullCache?: true },
): Promise<number> {
  const { cpuRam, gpuVram } = await model.fileInsights.estimateContextResourceRequirementsV2({
    contextSize,
    batchSize,
    sequences: 1,
    modelGpuLayers: model.gpuLayers,
    flashAttention: 'auto',
    ...kind,
  });
  return cpuRam + gpuVram;
}
