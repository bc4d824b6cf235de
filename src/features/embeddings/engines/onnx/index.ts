import { errorMessage } from '../../../../kernel/kit/errors.ts';
import { findModelFolder, openBehind, openOnnxModel, type OnnxModel } from '../../../models/feature.ts';
import type { OpenedEmbeddingEngine } from '../../define-engine.ts';
import { createDownEngine, createInProcessEngine, type InProcessEngine } from '../../in-process.ts';
import { toRowEmbedder } from '../../rows.ts';

export interface OnnxEmbeddingOptions {
  /** A folder with a sentence encoder, or the graph in it; null takes the first in the data folder. */
  readonly path: string | null;
  /** Folder in which a model may lie, itself or in `models`. */
  readonly dataFolder: string;
  /** Most requests in progress or waiting; at most half of them from one account. */
  readonly requestsMax?: number;
  /** Threads, each with weights of its own; what suits the machine by default, and for null. */
  readonly threads?: number | null;
  /** Ends the opening. */
  readonly signal?: AbortSignal;
}

/** The engine at once, while its model is opened behind it. What is asked meanwhile waits for the model. */
export function startOnnxEngine(options: OnnxEmbeddingOptions): OpenedEmbeddingEngine {
  const { current, opened, report, close } = openBehind((signal) => openOnnxEngine({ ...options, signal }));
  return {
    name: 'onnx',
    opened: report,
    health: () => current()?.health() ?? 'ok',
    countTokens: async (texts, signal) => (await opened(signal)).countTokens(texts, signal),
    embed: async (texts, size, signal, account) => (await opened(signal)).embed(texts, size, signal, account),
    embedChunks: async (chunks, size, signal, account) =>
      (await opened(signal)).embedChunks(chunks, size, signal, account),
    close,
  };
}

/**
 * Embeddings by a sentence encoder in ONNX form in this process. Never rejects: with an unusable one it is down, as
 * `problem` says.
 */
export async function openOnnxEngine(options: OnnxEmbeddingOptions): Promise<InProcessEngine> {
  const { dataFolder, requestsMax, threads = null, signal } = options;
  try {
    const path = options.path ?? (await findModelFolder(dataFolder));
    if (path === null)
      return createDownEngine('onnx', `no model in ONNX form lies in ${dataFolder} or its models folder`);
    const model = await openOnnxModel({ path, threads, ...(signal && { signal }) });
    if (model.kind !== 'encoder') {
      await model.close();
      return createDownEngine(
        'onnx',
        `${path}: the model is a ${model.kind === 'classifier' ? 'classifier' : 'decider'} and no sentence encoder`,
      );
    }
    const embedder = toRowEmbedder(model, model.prompts.text);
    return { ...createInProcessEngine('onnx', embedder, requestsMax), about: aboutOf(path, model) };
  } catch (error) {
    return createDownEngine('onnx', errorMessage(error));
  }
}

function aboutOf(path: string, { runtime, dimensions, tokensMax, memoryBytes }: OnnxModel): string {
  const size = `${dimensions} dimensions, texts of up to ${tokensMax} tokens`;
  return `${path}: ${size}, ${Math.round(memoryBytes / 1_048_576)} MiB in ${runtime}`;
}
